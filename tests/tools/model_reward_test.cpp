// Rewards from the modelled roofline: their terms, and texts that try to look fast to the model.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

constexpr double kEqual = 0.5498;  // sigmoid(0.2), to four digits.

/// 512 steps of a generator of pseudorandom numbers on each of 2048 elements.
Json steps_problem() {
  return Json::parse(R"json({
    "name": "steps", "dims": {"n": {"values": [2048], "min": 1, "max": 4096}},
    "args": [{"name": "x", "type": "i32", "shape": ["n"], "role": "in",
              "fill": {"kind": "range", "low": 0, "high": 1000}},
             {"name": "y", "type": "i32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "reference", "source":
      "__device__ unsigned step(unsigned v) { return v * 1664525u + 1013904223u; }\n__global__ void reference(const int* x, int* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  unsigned v = x[i];\n  for (int s = 0; s < n / 2048 * 511 + 1 && s < 512; ++s) v = step(v);\n  y[i] = v;\n}\n",
      "launches": [{"entry": "reference", "grid": ["cdiv(n, 64)"], "block": ["64"],
                    "args": ["x", "y", "n"]}]},
    "flops": "n", "bytes": "8*n"})json");
}

/// `body` is that of `k(const int* x, int* y, int n)`; `rounds` is how many steps there are.
Json steps_kernel(const std::string& body, const std::string& grid = "cdiv(n, 64)",
                  const std::string& block = "64") {
  const std::string source =
      "__device__ unsigned step(unsigned v) { return v * 1664525u + 1013904223u; }\n"
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  int rounds = min(n / 2048 * 511 + 1, 512);\n" +
      body + "}\n";
  return {{"language", "cuda"},
          {"source", source},
          {"launches", Json::array({{{"entry", "k"},
                                     {"grid", Json::array({grid})},
                                     {"block", Json::array({block})},
                                     {"args", {"x", "y", "n"}}}})}};
}

constexpr const char* kPlain =
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n) return;\n"
    "  unsigned v = x[i];\n"
    "  for (int s = 0; s < rounds; ++s) v = step(v);\n"
    "  y[i] = v;\n";

Json modelled(const Json& problem, const Json& kernel, Json more = Json::object()) {
  more["problem"] = problem;
  more["kernel"] = kernel;
  more["reward_from"] = "model";
  more["device"] = "cpu:0";
  return tools().result("evaluate", more);
}

}  // namespace

TEST_SUITE("tools.model_reward") {
  TEST_CASE("a kernel like its baseline earns what an equal earns, and says how sure that is") {
    const Json result = modelled(steps_problem(), steps_kernel(kPlain));
    CHECK(result["correct"] == true);
    CHECK(result["verdict"] == "inconclusive");
    CHECK(result["reward"] == kEqual);
    CHECK(result["reward_from"] == "model");
    CHECK(result["speedup"].is_null());
    CHECK_FALSE(result.contains("benchmark"));
    CHECK(result["modelled_speedup"]["value"].get<double>() == doctest::Approx(1).epsilon(0.1));
    CHECK(result["modelled_speedup"]["low"].get<double>() < 0.5);
    CHECK(result["modelled_speedup"]["high"].get<double>() > 2);
    CHECK(result["modelled_speedup"]["error_factor"] == 12);
  }

  TEST_CASE("a kernel that does much less earns more, and one that does much more earns less") {
    // The same numbers in log(n) steps: multipliers squared.
    const Json fast = modelled(steps_problem(),
                               steps_kernel("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                            "  if (i >= n) return;\n"
                                            "  unsigned a = 1664525u, c = 1013904223u, v = x[i];\n"
                                            "  for (int left = rounds; left > 0; left /= 2) {\n"
                                            "    if (left & 1) v = a * v + c;\n"
                                            "    c *= a + 1;\n"
                                            "    a *= a;\n"
                                            "  }\n"
                                            "  y[i] = v;\n"));
    CHECK(fast["correct"] == true);
    CHECK(fast["modelled_speedup"]["value"].get<double>() > 1);
    const Json slow =
        modelled(steps_problem(), steps_kernel("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                               "  if (i >= n) return;\n"
                                               "  unsigned v = x[i];\n"
                                               "  for (int again = 0; again < 60; ++again) {\n"
                                               "    v = ((volatile const int*)x)[i];\n"
                                               "    for (int s = 0; s < rounds; ++s) v = step(v);\n"
                                               "    ((volatile int*)y)[i] = v;\n"
                                               "  }\n"));
    CHECK(slow["verdict"] == "slower");
    CHECK(slow["reward"].get<double>() < kEqual);
  }

  TEST_CASE("the time that threads sleep counts") {
    const Json result = modelled(
        steps_problem(), steps_kernel("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "  if (i >= n) return;\n"
                                      "  unsigned v = x[i];\n"
                                      "  for (int s = 0; s < rounds; ++s) v = step(v);\n"
                                      "  for (int s = 0; s < 20; ++s) __nanosleep(900000);\n"
                                      "  y[i] = v;\n"));
    CHECK(result["verdict"] == "slower");
    CHECK(result["reward"].get<double>() < kEqual);
    const Json uneven =
        modelled(steps_problem(), steps_kernel("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                               "  if (i >= n) return;\n"
                                               "  unsigned v = x[i];\n"
                                               "  for (int s = 0; s < rounds; ++s) v = step(v);\n"
                                               "  if (blockIdx.x == 1) __nanosleep(900000);\n"
                                               "  y[i] = v;\n"));
    CHECK(uneven["correct"] == true);
    CHECK((uneven["reward"].is_null() || uneven["reward"].get<double>() < kEqual));
  }

  TEST_CASE("no text that hides its work from the counters earns more than an equal") {
    const struct {
      const char* name;
      std::string body;
      const char* grid;
      const char* block;
    } cases[] = {
        {"work in few of many blocks, most of which are not counted",
         "  if (blockIdx.x % 128 != 77) return;\n"
         "  int i = blockIdx.x / 128 * blockDim.x + threadIdx.x;\n"
         "  if (i >= n) return;\n"
         "  unsigned v = x[i];\n"
         "  for (int s = 0; s < rounds; ++s) v = step(v);\n"
         "  y[i] = v;\n",
         "128 * cdiv(n, 64)", "64"},
        {"all work in one block of many",
         "  if (blockIdx.x != 1000) return;\n"
         "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
         "    unsigned v = x[i];\n"
         "    for (int s = 0; s < rounds; ++s) v = step(v);\n"
         "    y[i] = v;\n"
         "  }\n",
         "2048", "64"},
        {"all work in one warp of a large block",
         "  if (threadIdx.x >= 32) return;\n"
         "  for (int i = blockIdx.x * 64 + threadIdx.x; i < min(n, (int)blockIdx.x * 64 + 64);\n"
         "       i += 32) {\n"
         "    unsigned v = x[i];\n"
         "    for (int s = 0; s < rounds; ++s) v = step(v);\n"
         "    y[i] = v;\n"
         "  }\n",
         "cdiv(n, 64)", "1024"},
        {"warps that work one after another",
         "  for (int turn = 0; turn < 4; ++turn) {\n"
         "    int i = blockIdx.x * 128 + turn * 32 + threadIdx.x % 32;\n"
         "    if (threadIdx.x / 32 == turn && i < n) {\n"
         "      unsigned v = x[i];\n"
         "      for (int s = 0; s < rounds; ++s) v = step(v);\n"
         "      y[i] = v;\n"
         "    }\n"
         "    __syncthreads();\n"
         "  }\n",
         "cdiv(n, 128)", "128"},
        {"the loop written out",
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= n) return;\n"
         "  unsigned v = x[i];\n"
         "  int s = 0;\n"
         "  for (; s + 256 <= rounds; s += 256) {\n"
         "#pragma unroll\n"
         "    for (int u = 0; u < 256; ++u) v = step(v);\n"
         "  }\n"
         "  for (; s < rounds; ++s) v = step(v);\n"
         "  y[i] = v;\n",
         "cdiv(n, 64)", "64"},
        {"the work in a function that is not inlined",
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= n) return;\n"
         "  unsigned v = x[i];\n"
         "  auto many = [](unsigned w, int r) __attribute__((noinline)) {\n"
         "    for (int s = 0; s < r; ++s) w = step(w);\n"
         "    return w;\n"
         "  };\n"
         "  y[i] = many(v, rounds);\n",
         "cdiv(n, 64)", "64"},
        {"one thread for many elements, so that few warps wait",
         "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
         "blockDim.x) {\n"
         "    unsigned v = x[i];\n"
         "    for (int s = 0; s < rounds; ++s) v = step(v);\n"
         "    y[i] = v;\n"
         "  }\n",
         "2", "64"},
    };

    for (const auto& c : cases) {
      CAPTURE(c.name);
      const Json result = modelled(steps_problem(), steps_kernel(c.body, c.grid, c.block));
      CHECK_MESSAGE(result["correct"] == true, result.dump().substr(0, 1000));
      CHECK_MESSAGE((result["reward"].is_null() || result["reward"].get<double>() <= kEqual),
                    result["modelled_speedup"].dump());
    }
  }

  TEST_CASE("a kernel that is wrong earns nothing") {
    const Json result = modelled(
        steps_problem(),
        steps_kernel(
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n"));
    CHECK(result["correct"] == false);
    CHECK(result["reward"] == 0);
    CHECK_FALSE(result.contains("modelled_speedup"));
  }

  TEST_CASE("where launching takes longest there is no reward, and the answer says so") {
    const Json result = modelled(twice_problem(), good_kernel());
    CHECK(result["reward"].is_null());
    CHECK(
        result["reward_withheld"] ==
        "the model cannot say: the workloads are too small: on a GPU, launching takes longer than "
        "the work of the kernel and of the baseline");
    const Json again = modelled(twice_problem(), good_kernel());
    CHECK(again["evidence_id"] == result["evidence_id"]);
    CHECK(again["reward_withheld"] == result["reward_withheld"]);
  }

  TEST_CASE("a workload that the engine makes smaller earns nothing") {
    Json problem = steps_problem();
    problem["dims"]["n"] = {{"values", {4096}}, {"min", 1}, {"max", 4096}};
    problem["flops"] = "1000000*n";
    const Json result = modelled(problem, steps_kernel(kPlain));
    CHECK(result["reward"].is_null());
    CHECK(result["reward_withheld"] ==
          "the model cannot say: the CPU engine runs a smaller workload than the problem lists, "
          "and a "
          "kernel may do something else with a large one: list smaller ones");
  }

  TEST_CASE("modelled and timed rewards of a kernel are two series") {
    ToolBench bench;
    Json asked = {
        {"problem", steps_problem()}, {"kernel", steps_kernel(kPlain)}, {"device", "cpu:0"}};
    const Json timed = bench.result("evaluate", asked);
    asked["reward_from"] = "model";
    const Json by_model = bench.result("evaluate", asked);
    CHECK(timed["evaluations"] == 1);
    CHECK(by_model["evaluations"] == 1);
    CHECK(by_model["evidence_id"] != timed["evidence_id"]);
    CHECK_FALSE(timed.contains("reward_from"));
    asked["fresh"] = true;
    CHECK(bench.result("evaluate", asked)["evaluations"] == 2);
  }

  TEST_CASE("a GPU's times are measured") {
    ToolBench bench(1);
    const Json asked = {{"problem", twice_problem()},
                        {"kernel", good_kernel()},
                        {"reward_from", "model"},
                        {"device", "cuda:0"}};
    CHECK(bench.refusal("evaluate", asked) ==
          "invalid_argument: `reward_from`: `model` is for emulated devices, and cuda:0 is a GPU, "
          "whose times are measured; leave `reward_from` out, or choose another `device`");
  }

  TEST_CASE("a server's choice is no client's, and list_devices says so") {
    ToolBench bench;
    RewardPins pins;
    pins.from = "model";
    bench.restart_with(pins);
    Json asked = {{"problem", twice_problem()}, {"kernel", good_kernel()}, {"reward_from", "time"}};
    CHECK(bench.refusal("evaluate", asked) ==
          "invalid_argument: `reward_from`: this server gives rewards with \"model\" only (its "
          "option "
          "--reward-from), got \"time\"; leave `reward_from` out");
    asked.erase("reward_from");
    CHECK(bench.result("evaluate", asked)["reward_from"] == "model");
    const Json devices = bench.result("list_devices", Json::object())["devices"];
    CHECK(devices[0]["rewards"] == Json{{"reward_from", "model"}});
  }
}

}  // namespace ws::test
