// Kernels whose results depend on what a launch before left in their memory, or on a clock.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json scratch(Json kernel) {
  kernel["scratch"] = {{{"name", "t"}, {"type", "i32"}, {"shape", {"n"}}}};
  kernel["launches"][0]["args"] = {"x", "y", "n", "t"};
  return kernel;
}

struct Stateful {
  const char* name;
  Json kernel;
  const char* keeper;  ///< As it stands in the message; null: one of several.
};

}  // namespace

TEST_SUITE("tools.stateful") {
  TEST_CASE("a kernel that is right only once in its life is stateful") {
    const char* head = "__global__ void k(const int* x, int* y, int n) {\n";
    const std::string kernel = head;
    const std::string i = "  int i = blockIdx.x * 64 + threadIdx.x;\n";
    const Stateful rows[] = {
        {"it works on the first launch only",
         with_source("__device__ int launches[4096];\n" + kernel + i +
                     "  if (i < n) {\n    if (launches[i] == 0) y[i] = 2 * x[i];\n"
                     "    launches[i] = 1;\n  }\n}\n"),
         "`launches`"},
        {"it serves what it computed before",
         with_source("__device__ int cache[4096], filled[4096];\n" + kernel + i +
                     "  if (i < n) {\n    y[i] = filled[i] ? cache[i] : 2 * x[i];\n"
                     "    cache[i] = y[i];\n    filled[i] = 1;\n  }\n}\n"),
         nullptr},
        {"the last block does not put its counter back",
         with_source("__device__ unsigned done;\n" + kernel + "  __shared__ bool last;\n" + i +
                     "  if (i < n) y[i] = x[i];\n  __threadfence();\n  __syncthreads();\n"
                     "  if (threadIdx.x == 0) last = atomicAdd(&done, 1) == gridDim.x - 1;\n"
                     "  __syncthreads();\n  if (!last) return;\n"
                     "  for (int j = threadIdx.x; j < n; j += 64) y[j] *= 2;\n}\n"),
         "`done`"},
        {"its scratch says that the work is done",
         scratch(with_source("__global__ void k(const int* x, int* y, int n, int* t) {\n" + i +
                             "  if (i < n) {\n    y[i] = t[i] == 424242 ? 0 : 2 * x[i];\n"
                             "    t[i] = 424242;\n  }\n}\n")),
         "`t`"},
    };
    for (const Stateful& row : rows) {
      for (const char* level : {"quick", "standard"}) {
        CAPTURE(std::string(row.name));
        const Json output = tools().judge(twice_problem(), row.kernel, level);
        CHECK(output["verdict"] == "stateful");
        const std::string message = output["message"];
        CAPTURE(message);
        CHECK(
            message.starts_with("the result depends on the launch before: it is right when the "
                                "kernel's memory is fresh, and wrong when `"));
        if (row.keeper != nullptr) {
          CHECK(message.find(std::string("wrong when ") + row.keeper +
                             " keeps what a launch left there; output `y`: ") != std::string::npos);
        }
      }
    }
  }

  TEST_CASE("a stateful kernel is not timed and earns no reward") {
    const std::string id = tools().compiled(
        twice_problem(),
        with_source("__device__ int done[4096];\n__global__ void k(const int* x, int* y, int n) {\n"
                    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
                    "  if (i < n && done[i]++ == 0) y[i] = 2 * x[i];\n}\n"));
    const Json worth = tools().result("evaluate", {{"kernel_id", id}, {"device", "cpu:0"}});
    CHECK(worth["verdict"] == "stateful");
    CHECK(worth["reward"] == 0);
    CHECK(tools().result("benchmark", {{"kernel_id", id}})["verdict"] == "invalid");
  }

  TEST_CASE("an endless wait for what a launch before has changed is stateful") {
    const Json output = tools().judge(
        twice_problem(),
        with_source("__device__ int gone;\n__global__ void k(const int* x, int* y, int n) {\n"
                    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
                    "  if (i == 0) while (*(volatile int*)&gone != 0) {}\n"
                    "  if (i < n) y[i] = 2 * x[i];\n  __syncthreads();\n"
                    "  if (i == 1) gone = 1;\n}\n"));
    CHECK(output["verdict"] == "stateful");
    CHECK(output["fault"]["kind"] == "timeout");
  }

  TEST_CASE("a kernel that is wrong in some places of memory is wrong") {
    for (const char* wrong :
         {"((unsigned long long)y >> 12) % 16 == 5", "((unsigned long long)w >> 6) % 16 == 3",
          "(((unsigned long long)y ^ (unsigned long long)x << 3) >> 12) % 13 == 5"}) {
      CAPTURE(std::string(wrong));
      const Json output =
          tools().judge(twice_problem(),
                        twice_kernel("  volatile int w[4] = {2, 2, 2, 2};\n  if (i < n) y[i] = " +
                                     std::string(wrong) + " ? 0 : w[i % 4] * x[i];"));
      INFO(output.dump());
      CHECK(output["verdict"] == "incorrect");
      REQUIRE(output["findings"][0]["kind"] == "place_dependent");
      CHECK(output["message"].get<std::string>().starts_with(
          "the result depends on where the kernel's memory lies: with the same inputs the kernel "
          "is "
          "right in one launch and wrong in another one, whose buffers and local arrays lie "
          "elsewhere; output `y`: "));
    }
  }

  TEST_CASE("a kernel that reads a clock is told so, and so is who asks again") {
    const std::string id = tools().compiled(
        twice_problem(),
        twice_kernel("  if (i < n) y[i] = clock64() < 0 || clock() < 0 ? 0 : 2 * x[i];"));
    for (int again = 0; again < 2; ++again) {
      const Json output = tools().result("validate", {{"kernel_id", id}});
      CHECK(output["verdict"] == "passed");
      CHECK(output["findings"] ==
            Json::array({{{"kind", "reads_clock"},
                          {"message",
                           "the kernel reads a clock or the number of its launch, or sleeps: what "
                           "it does may depend on when it runs"}}}));
    }
  }
}

}  // namespace ws::test
