// Kernels that try to be credited for work they do not do.
#include <doctest/doctest.h>

#include "runtime/base/verdict.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A right kernel but for what `body` adds: `work` is the right statement.
Json with_state(const std::string& state, const std::string& body) {
  return with_source(state +
                     "\n__global__ void k(const int* x, int* y, int n) {\n  int i = blockIdx.x * "
                     "blockDim.x + threadIdx.x;\n" +
                     body + "\n}\n");
}

}  // namespace

TEST_SUITE("tools.cheats") {
  TEST_CASE("a constant result is incorrect") {
    const Json output = tools().judge(twice_problem(), twice_kernel("  if (i < n) y[i] = 7;"));
    CHECK(output["verdict"] == "incorrect");
    CHECK(output["mismatch"]["count"].get<int>() > 900);
  }

  TEST_CASE("a kernel that is right for the listed size only is caught by a hidden one") {
    const Json output = tools().judge(
        twice_problem(), twice_kernel("  if (i < n) y[i] = n == 1000 ? 2 * x[i] : x[i];"));
    CHECK(output["verdict"] == "incorrect");
    CHECK(output["runs"].back()["workload"] != Json({{"n", 1000}}));
    CHECK(output["coverage"]["hidden"].get<int>() >= 1);
  }

  TEST_CASE("a kernel that leaves what lay in its output is caught: it was poisoned") {
    const Json output = tools().judge(
        twice_problem(), twice_kernel("  if (i < n && (y[i] == 0 || i % 2)) y[i] = 2 * x[i];"));
    CHECK(output["verdict"] == "incorrect");
    CHECK(output["mismatch"]["count"].get<int>() > 400);
  }

  TEST_CASE("what a thorough validation found wrong is not timed, whatever a quick one says") {
    const char* head =
        "(const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
    Json problem = twice_problem();
    problem["args"] = {{{"name", "x"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "in"}},
                       {{"name", "y"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "out"}}};
    problem["reference"]["source"] =
        "__global__ void twice" + std::string(head) + "  if (i < n) y[i] = 2 * x[i];\n}\n";
    // Wrong among many zeros, which a quick validation does not draw.
    const Json kernel = with_source("__global__ void k" + std::string(head) +
                                    "  if (i >= n) return;\n  int zeros = 0;\n"
                                    "  for (int j = 0; j < n; ++j) zeros += x[j] == 0;\n"
                                    "  y[i] = 2 * zeros > n ? 1.0f : 2 * x[i];\n}\n");
    const std::string id = tools().compiled(problem, kernel);
    const auto validate = [&](const char* level, bool fresh) {
      return tools().result("validate", {{"kernel_id", id}, {"level", level}, {"fresh", fresh}});
    };
    CHECK(tools()
              .result("evaluate", {{"kernel_id", id}, {"device", "cpu:0"}})["reward"]
              .get<double>() > 0);
    CHECK(validate("standard", false)["verdict"] == "incorrect");
    CHECK(validate("quick", true)["verdict"] == "passed");
    const Json timed = tools().result("benchmark", {{"kernel_id", id}, {"baseline", "reference"}});
    CHECK(timed["verdict"] == "invalid");
    CHECK(timed["validation"]["verdict"] == "incorrect");
    const Json worth = tools().result("evaluate", {{"kernel_id", id}});
    CHECK(worth["verdict"] == "invalid");
    CHECK(worth["reward"] == 0);
  }

  TEST_CASE(
      "a device variable is initialised at each timed launch, so launches cannot be counted") {
    // Works on the first launch of the timed size only, if it can count: it cannot.
    const Json kernel =
        with_state("__device__ int launches[4096];",
                   "  if (i < n) {\n    if (n != 4000 || launches[i] == 0) y[i] = 2 * x[i];\n"
                   "    if (n == 4000) launches[i] = 1;\n  }");
    const std::string id = tools().compiled(twice_problem(), kernel);
    const Json validated = tools().result("validate", {{"kernel_id", id}});
    REQUIRE(validated["verdict"] == "passed");
    const Json bench = tools().result("benchmark", {{"kernel_id", id},
                                                    {"baseline", "reference"},
                                                    {"workloads", {{{"n", 4000}}}},
                                                    {"time_budget_ms", 100}});
    // Too short to be told apart on a busy machine, but right in each of its many launches.
    CHECK(facts_of(verdict_of(bench["verdict"].get<std::string>()).value()).right_when_timed);
  }

  TEST_CASE("a cache of earlier results is stateful: fresh inputs give it away") {
    const Json kernel = with_state(
        "__device__ int cache[4096], filled[4096];",
        "  if (i < n) {\n    y[i] = filled[i] ? cache[i] : 2 * x[i];\n    cache[i] = y[i];\n    "
        "filled[i] = 1;\n  }");
    CHECK(tools().judge(twice_problem(), kernel, "standard")["verdict"] == "stateful");
  }

  TEST_CASE("results kept in the code's own memory are an access out of bounds") {
    const Json kernel = with_state("__device__ int cache[16];",
                                   "  if (i < n) { cache[16 + i % 8] = x[i]; y[i] = 2 * x[i]; }");
    const Json output = tools().judge(twice_problem(), kernel);
    CHECK(output["verdict"] == "out_of_bounds");
    CHECK(output["fault"]["buffer"] == "cache");
  }

  TEST_CASE("a kernel that is right when validated and wrong when timed is suspect") {
    // The fast build has no bounds checks: time tells the builds apart. Here a far simpler tell is
    // used, the size that only the benchmark asks for.
    const Json kernel = twice_kernel("  if (i < n) y[i] = n == 4000 ? 1 : 2 * x[i];");
    const std::string id = tools().compiled(twice_problem(), kernel);
    const Json validated =
        tools().result("validate", {{"kernel_id", id}, {"workloads", {{{"n", 1000}}}}});
    REQUIRE(validated["verdict"] == "passed");
    const Json output = tools().result("benchmark", {{"kernel_id", id},
                                                     {"baseline", "reference"},
                                                     {"workloads", {{{"n", 4000}}}},
                                                     {"time_budget_ms", 100}});
    CHECK(output["verdict"] == "suspect");
    CHECK(output["message"] ==
          "in a timed launch, output `y` differs from the baseline's in 4000 of 4000 "
          "elements");
    CHECK_FALSE(output.contains("ratio"));
  }
}

}  // namespace ws::test
