// Kernels that are right only because of the order in which their threads or blocks happen to run,
// and honest ones that synchronise by other means than barriers.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A whole kernel with launches of its own: the grid's and a block's threads.
Json launched(const std::string& source, const std::string& grid, const std::string& block) {
  Json kernel = with_source(source);
  kernel["launches"][0]["grid"] = {grid};
  kernel["launches"][0]["block"] = {block};
  return kernel;
}

struct Race {
  const char* name;
  Json kernel;
  const char* order;  ///< The one that shows it first.
};

/// Each has the right result when threads and blocks run one after another, the first one first.
std::vector<Race> races() {
  return {
      {"no barrier between writing and reading shared memory",
       twice_kernel("  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = i < n ? x[i] : 0;\n"
                    "  int left = s[t == 0 ? 0 : t - 1];\n"
                    "  if (i < n) y[i] = 2 * x[i] + left - x[t == 0 ? i : i - 1];"),
       "descending"},
      {"a barrier too few",
       twice_kernel("  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = 0;\n"
                    "  __syncthreads();\n  if (t == 0) s[t] = i < n ? x[i] : 0;\n"
                    "  __syncthreads();\n  if (t == 0) s[1] = s[0] + 1;\n"
                    "  bool reads = t > 1 && t < 60;\n"
                    "  if (i < n) y[i] = 2 * x[i] + (reads ? s[1] - s[0] - 1 : 0);"),
       "descending"},
      {"a first value that thread 0 sets without a barrier",
       twice_kernel("  __shared__ int count;\n  if (threadIdx.x == 0) count = 0;\n"
                    "  atomicAdd(&count, 1);\n  __syncthreads();\n"
                    "  if (i < n) y[i] = 2 * x[i] + count - 64;"),
       "descending"},
      // So much work that blocks at both ends of the grid are far apart on a busy machine too.
      {"a block that reads what another one writes",
       launched("__global__ void k(const int* x, int* y, int n) {\n  int b = blockIdx.x;\n"
                "  y[b] = 2 * x[b] + (b == n - 1 && b > 200 ? y[0] - 2 * x[0] : 0);\n"
                "  for (volatile int work = 0; work < 10000; work = work + 1) {}\n}\n",
                "n", "1"),
       "descending"},
      {"threads that read a later one's place before it is written",
       twice_kernel("  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = 0;\n"
                    "  __syncthreads();\n  int seen = t < 31 ? s[t + 31] : 0;\n  s[t] = 7;\n"
                    "  if (i < n) y[i] = 2 * x[i] + seen;"),
       "descending"},
  };
}

struct Honest {
  const char* name;
  Json kernel;
};

std::vector<Honest> honest_kernels() {
  const char* head = "__global__ void k(const int* x, int* y, int n) {\n";
  const std::string kernel = head;
  return {
      {"shuffles and votes",
       twice_kernel("  int v = i < n ? x[i] : 0;\n  int w = __shfl_xor_sync(~0u, v, 1);\n"
                    "  w = __shfl_xor_sync(~0u, w, 1);\n"
                    "  if (__ballot_sync(~0u, 1) == ~0u && i < n) y[i] = v + w;")},
      {"a spin lock of the grid",
       with_source("__device__ int lock, sum;\n" + kernel +
                   "  if (threadIdx.x == 0) {\n    while (atomicCAS(&lock, 0, 1) != 0) {}\n"
                   "    __threadfence();\n    *(volatile int*)&sum = *(volatile int*)&sum + 1;\n"
                   "    __threadfence();\n    atomicExch(&lock, 0);\n  }\n"
                   "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n")},
      {"the last block finishes, and puts the counter back",
       with_source("__device__ unsigned done;\n" + kernel +
                   "  __shared__ bool last;\n  int i = blockIdx.x * 64 + threadIdx.x;\n"
                   "  if (i < n) y[i] = x[i];\n  __threadfence();\n  __syncthreads();\n"
                   "  if (threadIdx.x == 0) last = atomicAdd(&done, 1) == gridDim.x - 1;\n"
                   "  __syncthreads();\n  if (!last) return;\n"
                   "  for (int j = threadIdx.x; j < n; j += 64) y[j] *= 2;\n"
                   "  if (threadIdx.x == 0) done = 0;\n}\n")},
      {"blocks that wait for the one with the ticket before",
       with_source("__device__ int ticket, turn;\n" + kernel +
                   "  __shared__ int mine;\n  int t = threadIdx.x;\n"
                   "  if (t == 0) mine = atomicAdd(&ticket, 1);\n  __syncthreads();\n"
                   "  if (t == 0) while (*(volatile int*)&turn != mine) {}\n  __syncthreads();\n"
                   "  int i = mine * 64 + t;\n  if (i < n) y[i] = 2 * x[i];\n  __syncthreads();\n"
                   "  if (t == 0) {\n    __threadfence();\n"
                   "    bool all = mine == (int)gridDim.x - 1;\n    if (all) ticket = 0;\n"
                   "    *(volatile int*)&turn = all ? 0 : mine + 1;\n  }\n}\n")},
  };
}

}  // namespace

TEST_SUITE("tools.orders") {
  TEST_CASE("a validation runs threads and blocks in three orders") {
    const Json output = tools().judge(twice_problem(), good_kernel());
    REQUIRE(output["verdict"] == "passed");
    REQUIRE(output["runs"].size() == 4);
    CHECK_FALSE(output["runs"][0].contains("order"));
    CHECK(output["runs"][1]["order"] == "descending");
    CHECK(output["runs"][2]["order"] == "random");
    CHECK(output["findings"].empty());
  }

  TEST_CASE("a problem of one size is run in three orders as well") {
    Json problem = twice_problem();
    problem["dims"]["n"] = {{"values", {64}}, {"min", 64}, {"max", 64}};
    const Json output = tools().judge(problem, good_kernel());
    REQUIRE(output["verdict"] == "passed");
    REQUIRE(output["runs"].size() == 3);
    CHECK(output["runs"][1]["order"] == "descending");
    CHECK(output["runs"][2]["order"] == "random");
    CHECK(output["runs"][2]["distribution"] == output["runs"][1]["distribution"]);
  }

  TEST_CASE("atomics of a block between blocks, and reductions at two places, are mistakes") {
    const struct {
      const char* body;
      const char* verdict;
      const char* message;
    } cases[] = {
        {"  if (i < n) y[i] = 2 * x[i];\n  atomicAdd_block(&turn, i < n);\n", "data_race",
         "an atomic of block scope orders nothing between blocks: use one of the whole device, "
         "such as `atomicAdd` or `cuda::thread_scope_device`"},
        {"  if (i < n) y[i] = 2 * x[i];\n  int sum;\n  if (threadIdx.x % 2)\n"
         "    sum = __reduce_add_sync(~0u, i);\n  else\n    sum = __reduce_add_sync(~0u, 5);\n"
         "  if (sum == -1) y[0] = 0;\n",
         "sanitizer",
         "lanes that one mask names are in different calls of a warp reduction at source:9 by "
         "thread (0,0,0) of block (0,0,0) and at source:7 by thread (1,0,0): a GPU may wait for "
         "ever; call it at one place, where all lanes of the mask arrive"},
    };

    for (const auto& c : cases) {
      const Json output =
          tools().judge(twice_problem(),
                        with_source("__device__ int turn;\n"
                                    "__global__ void k(const int* x, int* y, int n) {\n"
                                    "  int i = blockIdx.x * 64 + threadIdx.x;\n" +
                                    std::string(c.body) + "}\n"),
                        "standard");
      CHECK(output["verdict"] == c.verdict);
      CHECK_MESSAGE(output["message"].get<std::string>().ends_with(c.message),
                    output["message"].get<std::string>());
    }
  }

  TEST_CASE("a kernel that is right in one order only lacks a barrier or an atomic") {
    for (const Race& race : races()) {
      for (const char* level : {"quick", "standard"}) {
        CAPTURE(std::string(race.name));
        CAPTURE(std::string(level));
        const Json output = tools().judge(twice_problem(), race.kernel, level);
        CHECK(output["verdict"] == "incorrect");
        REQUIRE(output["findings"].size() > 1);
        CHECK(output["findings"][0]["kind"] == "order_dependent");
        const Json& race_found = output["findings"][1];
        CHECK(race_found["kind"] == "data_race");
        CHECK(race_found["tool"] == "engine");
        CHECK(output["fault"]["message"] == race_found["message"]);
        CHECK(output["summary"].get<std::string>().find(
                  "incorrect: " + race_found["message"].get<std::string>()) != std::string::npos);
        CHECK(output["findings"][0]["message"] == output["message"]);
        CHECK(output["runs"].back()["order"] == race.order);
        const std::string message = output["message"];
        CHECK(message.starts_with(
            "the result depends on the order in which threads or blocks run: with the same inputs "
            "it is right in ascending order and wrong in " +
            std::string(race.order) +
            " order, so a barrier or an atomic is missing; output `y`: "));
        CHECK(output.contains("mismatch"));
      }
    }
  }

  TEST_CASE("a fault that only another order brings keeps its place") {
    const Json output = tools().judge(
        twice_problem(), twice_kernel("  __shared__ int at;\n  if (threadIdx.x == 0) at = 0;\n"
                                      "  if (i < n) y[i + (at == 0 ? 0 : 5000)] = 2 * x[i];"));
    CHECK(output["verdict"] == "out_of_bounds");
    REQUIRE(!output["findings"].empty());
    CHECK(output["findings"][0]["kind"] == "order_dependent");
    CHECK(output["fault"]["line"] == 5);
  }

  TEST_CASE("a kernel that is wrong in every order is told its mistake only") {
    const Json output = tools().judge(
        twice_problem(), twice_kernel("  if (i < n) y[i] = n == 1000 ? 2 * x[i] : 0;"));
    CHECK(output["verdict"] == "incorrect");
    CHECK(output["findings"].empty());
    CHECK_FALSE(output["runs"].back().contains("order"));
  }

  TEST_CASE("kernels that synchronise by shuffles, locks, counters and tickets pass") {
    for (const Honest& honest : honest_kernels()) {
      for (const char* level : {"quick", "standard"}) {
        CAPTURE(std::string(honest.name));
        const Json output = tools().judge(twice_problem(), honest.kernel, level);
        CAPTURE(output["summary"].get<std::string>());
        CHECK(output["verdict"] == "passed");
        CHECK(output["findings"].empty());
      }
    }
  }

  TEST_CASE("a block that waits for its predecessor is right in every order of blocks") {
    const Json output = tools().judge(
        twice_problem(),
        launched("__device__ int turn;\n__global__ void k(const int* x, int* y, int n) {\n"
                 "  int b = blockIdx.x;\n  while (*(volatile int*)&turn != b) {}\n"
                 "  y[b] = 2 * x[b];\n  __threadfence();\n"
                 "  *(volatile int*)&turn = b == n - 1 ? 0 : b + 1;\n}\n",
                 "n", "1"));
    CAPTURE(output["summary"].get<std::string>());
    CHECK(output["verdict"] == "passed");
    CHECK(output["findings"].empty());
  }

  TEST_CASE(
      "a wait for another block does not hide that threads of a block depend on their order") {
    const std::string head =
        "__device__ int turn;\n__global__ void k(const int* x, int* y, int n) {\n"
        "  __shared__ int s[64];\n  int b = blockIdx.x, t = threadIdx.x, i = b * 64 + t;\n"
        "  volatile int* now = &turn;\n  if (t == 0) while (*now != b) {}\n  __syncthreads();\n"
        "  int v = i < n ? x[i] : 0;\n";
    const std::string tail =
        "  __syncthreads();\n"
        "  if (t == 0) { __threadfence(); *now = b + 1 == (int)gridDim.x ? 0 : b + 1; }\n}\n";
    // The last thread comes out of a barrier first, also in ascending order.
    const Json wrong = tools().judge(
        twice_problem(),
        launched(head +
                     "  s[t] = v;\n"
                     "  int more = t > 0 && t < 63 && i < n ? s[t - 1] - x[i - 1] : 0;\n"
                     "  if (i < n) y[i] = 2 * v + more;\n" +
                     tail,
                 "cdiv(n, 64)", "64"));
    CAPTURE(wrong["summary"].get<std::string>());
    CHECK(wrong["verdict"] == "incorrect");
    REQUIRE(wrong["findings"].size() == 2);
    CHECK(wrong["findings"][0]["kind"] == "order_dependent");
    CHECK(wrong["findings"][1]["kind"] == "data_race");
    const Json right = tools().judge(
        twice_problem(),
        launched(head + "  s[t] = v;\n  __syncthreads();\n  if (i < n) y[i] = v + s[t];\n" + tail,
                 "cdiv(n, 64)", "64"));
    CAPTURE(right["summary"].get<std::string>());
    CHECK(right["verdict"] == "passed");
  }

  TEST_CASE("a kernel that hangs where a later thread of a block comes first does not pass") {
    const Json output = tools().judge(
        twice_problem(),
        launched("__global__ void k(const int* x, int* y, int n) {\n"
                 "  __shared__ int first;\n  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"
                 "  if (t == 0) first = 1;\n  volatile int late = t == 0 || first == 1;\n"
                 "  while (!late) {}\n  if (i < n) y[i] = 2 * x[i];\n}\n",
                 "cdiv(n, 64)", "64"));
    CAPTURE(output["summary"].get<std::string>());
    CHECK(output["verdict"] == "timeout");
    REQUIRE(!output["findings"].empty());
    CHECK(output["findings"][0]["kind"] == "order_dependent");
    CHECK(output["message"].get<std::string>().starts_with(
        "whether the kernel ends depends on the order in which the threads of a block run: "));
  }
}

}  // namespace ws::test
