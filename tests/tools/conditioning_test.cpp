// A problem that amplifies rounding: the judge must tell that from a mistake, and say so.
#include <string>

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

/// y[i] = sin(factor * x[i]).
Json sine_problem(const std::string& factor) {
  return Json::parse(R"json({
    "name": "sine", "op": "sine", "dims": {"n": [500]},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in", "fill": "normal"},
             {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "sine",
      "source": "__global__ void sine(const float* x, float* y, int n) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = (float)sin()json" +
                     factor + R"json( * (acc_t)x[i]);\n}\n",
      "launches": [{"entry": "sine", "grid": ["cdiv(n, 64)"], "block": ["64"],
                    "args": ["x", "y", "n"]}]}})json");
}

Json sine_kernel(const std::string& value) {
  return {{"name", "sine"},
          {"language", "cuda"},
          {"source",
           "__global__ void sine(const float* x, float* y, int n) {\n"
           "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = " +
               value + ";\n}\n"},
          {"launches",
           {{{"entry", "sine"},
             {"grid", {"cdiv(n, 64)"}},
             {"block", {"64"}},
             {"args", {"x", "y", "n"}}}}}};
}

const std::string kUnitSum =
    "  float length = 0; for (int j = 0; j < k; ++j) length += x[r * k + j] * x[r * k + j];\n"
    "  length = sqrt(length);\n  float sum = 0;\n"
    "  for (int j = 0; j < k; ++j) sum += (x[r * k + j] / length) * (x[r * k + j] / length);\n";

Json row_launch(const std::string& entry) {
  return {{{"entry", entry}, {"grid", {"m"}}, {"block", {"k"}}, {"args", {"x", "y", "k"}}}};
}

std::string row_source(const std::string& entry, const std::string& residue,
                       const std::string& rest, const std::string& sums) {
  return "__global__ void " + entry +
         "(const float* x, float* y, int k) {\n  int r = blockIdx.x, i = r * k + threadIdx.x;\n" +
         sums + "  y[i] = r % 8 == 0 ? (float)(" + residue + ") : (float)(" + rest + ");\n}\n";
}

/// y = x, but in every eighth row x |u|^2 - x, where u is the row over its length: zero, and what
/// rounding in f64 leaves of it.
Json residue_problem() {
  std::string sums = kUnitSum;
  for (std::size_t at = sums.find("float"); at != std::string::npos; at = sums.find("float")) {
    sums.replace(at, 5, "double");
  }
  for (std::size_t at = 0; (at = sums.find("x[", at)) != std::string::npos; at += 10) {
    sums.insert(at, "(double)");
  }
  return {{"name", "residue"},
          {"op", "residue"},
          {"dims", {{"m", {64}}, {"k", {48}}}},
          {"args",
           {{{"name", "x"}, {"type", "f32"}, {"shape", {"m", "k"}}, {"role", "in"}},
            {{"name", "y"}, {"type", "f32"}, {"shape", {"m", "k"}}, {"role", "out"}}}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"entry", "residue"},
            {"source", row_source("residue", "(double)x[i] * sum - (double)x[i]", "x[i]", sums)},
            {"launches", row_launch("residue")}}}};
}

Json residue_kernel(const std::string& residue, const std::string& rest) {
  return {{"name", "residue"},
          {"language", "cuda"},
          {"source", row_source("residue", residue, rest, kUnitSum)},
          {"launches", row_launch("residue")}};
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

  TEST_CASE("each element may be off by as much as rounding its input moves it") {
    const Json right =
        tools().judge(sine_problem("1000"), sine_kernel("sinf(1000 * x[i])"), "strict");
    CAPTURE(right["summary"].get<std::string>());
    CHECK(right["verdict"] == "passed");
    // Not what a coarse sine costs, nor inputs of ten bits.
    for (const char* value : {"sinf(1000 * x[i]) + 0.1f", "0",
                              "sinf(1000 * __int_as_float(__float_as_int(x[i]) & 0xffffe000))"}) {
      CAPTURE(value);
      CHECK(tools().judge(sine_problem("1000"), sine_kernel(value), "standard")["verdict"] ==
            "incorrect");
    }
  }

  TEST_CASE("a row that is zero but for the reference's own rounding may be zero") {
    for (const char* const value : {"x[i] * sum - x[i]", "0.0f"}) {
      CAPTURE(value);
      const Json output = tools().judge(residue_problem(), residue_kernel(value, "x[i]"));
      INFO(output.dump(1));
      CHECK(output["verdict"] == "passed");
    }
    // The other rows are judged as ever, and this one is small.
    for (const auto& [residue, rest] :
         {std::pair{"x[i] * sum - x[i]", "x[i] * 1.001f"}, std::pair{"0.01f * x[i]", "x[i]"}}) {
      CAPTURE(residue);
      CHECK(tools().judge(residue_problem(), residue_kernel(residue, rest))["verdict"] ==
            "incorrect");
    }
  }

  TEST_CASE("a problem whose inputs' rounding leaves no digits is named, with the fill to change") {
    const Json output =
        tools().judge(sine_problem("1e6"), sine_kernel("sinf(1e6f * x[i])"), "standard");
    CHECK(output["verdict"] == "invalid_reference");
    const std::string message = output["message"];
    const std::string head =
        "the problem is ill conditioned: rounding its inputs moves the reference's `y` by as much "
        "as "
        "the kernel is off, ";
    const std::string tail =
        " times the tolerance; change the `fill` of `x`, or ask for a larger tolerance";
    REQUIRE(message.size() > head.size() + tail.size());
    const std::string times =
        message.substr(head.size(), message.size() - head.size() - tail.size());
    CHECK(message == head + times + tail);
    CHECK(std::stod(times) > 32);
    const std::string kernel = output["kernel_id"];
    CHECK(output["summary"] == kernel + ": invalid_reference: " + message);
    REQUIRE(output["next_steps"].size() == 1);
    CHECK(
        output["next_steps"][0] ==
        Json{{"why",
              "change the problem, not the kernel: give its inputs another `fill` or `domain`, or "
              "correct its reference, and send it with compile_kernel"}});
  }

  TEST_CASE("a kernel that is off by more than rounding stays incorrect") {
    const Json output =
        tools().judge(wave_problem(), wave_kernel("sinf(sum * 1.0001f)"), "standard");
    CHECK(output["verdict"] == "incorrect");
    CHECK_FALSE(output["runs"].back().contains("widened"));
  }
}

}  // namespace ws::test
