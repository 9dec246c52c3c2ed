// A problem that amplifies rounding: the judge must tell that from a mistake, and say so.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y[i] = sin(sum of squares of row i): the sum is large, and its rounding is the sine's error.
Json wave_problem() {
  return Json::parse(R"json({
    "name": "waves", "op": "waves", "dims": {"m": [512], "k": [128]},
    "args": [{"name": "x", "type": "f32", "shape": ["m", "k"], "role": "in",
              "fill": {"kind": "normal", "std": 0.08}},
             {"name": "y", "type": "f32", "shape": ["m"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "waves",
      "source": "__global__ void waves(const float* x, float* y, int m, int k) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= m) return;\n  acc_t sum = 0;\n  for (int j = 0; j < k; ++j) sum += (acc_t)x[i * k + j] * x[i * k + j];\n  y[i] = (float)sin(sum);\n}\n",
      "launches": [{"entry": "waves", "grid": ["cdiv(m, 64)"], "block": ["64"],
                    "args": ["x", "y", "m", "k"]}]}})json");
}

Json wave_kernel(const std::string& last) {
  return {{"name", "waves"},
          {"language", "cuda"},
          {"source",
           "__global__ void waves(const float* x, float* y, int m, int k) {\n"
           "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= m) return;\n  float sum = 0;\n"
           "  for (int j = 0; j < k; ++j) sum += x[i * k + j] * x[i * k + j];\n  y[i] = " +
               last + ";\n}\n"},
          {"launches",
           {{{"entry", "waves"},
             {"grid", {"cdiv(m, 64)"}},
             {"block", {"64"}},
             {"args", {"x", "y", "m", "k"}}}}}};
}

}  // namespace

TEST_SUITE("tools.conditioning") {
  TEST_CASE("rounding that a problem amplifies passes, and the run says by how much") {
    const Json output = tools().judge(wave_problem(), wave_kernel("sinf(sum)"), "standard");
    CHECK(output["verdict"] == "passed");
    double most = 0;
    for (const Json& run : output["runs"]) {
      most = std::max(most, run.value("widened", 0.0));
    }
    CHECK(most > 1);
    CHECK(most <= 32);
  }

  TEST_CASE("a kernel that is off by more than rounding stays incorrect") {
    const Json output =
        tools().judge(wave_problem(), wave_kernel("sinf(sum * 1.0001f)"), "standard");
    CHECK(output["verdict"] == "incorrect");
    CHECK_FALSE(output["runs"].back().contains("widened"));
  }
}

}  // namespace ws::test
