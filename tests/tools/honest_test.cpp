// Honest kernels that a judge is tempted to refuse, and attacks on the draws themselves.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

constexpr const char* kIndex = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

/// y = f(x), element by element, in f32; the reference computes in f64.
Json elementwise(const std::string& name, const std::string& fill, const std::string& reference) {
  Json problem = Json::parse(R"({
    "dims": {"n": {"values": [500], "min": 1, "max": 4096}},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
             {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "f"}})");
  problem["name"] = name;
  problem["args"][0]["fill"] = Json::parse(fill);
  problem["reference"]["source"] =
      "__global__ void f(const float* x, float* y, int n) {\n" + std::string(kIndex) +
      "  if (i < n) { double v = x[i]; y[i] = " + reference + "; }\n}\n";
  problem["reference"]["launches"] = {
      {{"entry", "f"}, {"grid", {"cdiv(n, 64)"}}, {"block", {"64"}}, {"args", {"x", "y", "n"}}}};
  return problem;
}

Json kernel_of(const std::string& expression) {
  return {
      {"name", "k"},
      {"language", "cuda"},
      {"source", "__global__ void k(const float* x, float* y, int n) {\n" + std::string(kIndex) +
                     "  if (i < n) { float v = x[i]; y[i] = " + expression + "; }\n}\n"},
      {"launches",
       {{{"entry", "k"},
         {"grid", {"cdiv(n, 64)"}},
         {"block", {"64"}},
         {"args", {"x", "y", "n"}}}}}};
}

struct HonestCase {
  const char* name;
  const char* fill;
  const char* reference;
  const char* kernel;
};

/// On numbers this large the rounding of 1000 v alone moves its sine by many times the bound.
constexpr const char* kWide = R"({"kind": "normal", "std": 8})";

constexpr HonestCase kHonest[] = {
    {"gelu", R"("normal")", "0.5 * v * (1 + erf(v * 0.70710678118654752))",
     "0.5f * v * (1.0f + erff(v * 0.70710678f))"},
    {"softplus", R"("normal")", "log1p(exp(v))", "log1pf(expf(v))"},
    {"erfc", R"("normal")", "erfc(v)", "erfcf(v)"},
    {"log", R"({"kind": "uniform", "low": 0.1, "high": 10})", "log(v)", "logf(v)"},
    {"square", R"({"kind": "uniform", "low": 0.5, "high": 10})", "pow(v, 2.0)",
     "exp2f(2.0f * log2f(v))"},
    {"inverse", R"({"kind": "uniform", "low": 0.1, "high": 10})", "1 / v", "1.0f / v"},
};

/// In a short row of small values alone its rounding is beyond the bound (docs/judge.md), so it is
/// validated at `quick`, which has no such rows.
constexpr HonestCase kCancels = {"sine_less_v", R"("normal")", "sin(v) - v", "sinf(v) - v"};

}  // namespace

TEST_SUITE("tools.honest") {
  TEST_CASE("a difference that cancels passes in f32") {
    const Json problem = elementwise(kCancels.name, kCancels.fill, kCancels.reference);
    const std::string id = tools().compiled(problem, kernel_of(kCancels.kernel));
    for (int i = 0; i < 4; ++i) {
      const Json output = tools().result("validate", {{"kernel_id", id}, {"fresh", true}});
      CHECK_MESSAGE(output["verdict"] == "passed", output["summary"].dump());
    }
  }

  TEST_CASE("functions that are not defined everywhere pass in f32") {
    for (const HonestCase& c : kHonest) {
      CAPTURE(c.name);
      const Json problem = elementwise(c.name, c.fill, c.reference);
      const std::string id = tools().compiled(problem, kernel_of(c.kernel));
      for (int i = 0; i < 4; ++i) {
        const Json output =
            tools().result("validate", {{"kernel_id", id}, {"level", "standard"}, {"fresh", true}});
        CHECK_MESSAGE(output["verdict"] == "passed", output["summary"].dump());
        CHECK_FALSE(output.contains("weak_problem"));
      }
    }
  }

  TEST_CASE("a problem that amplifies rounding is named, and its kernel is not blamed") {
    const Json problem = elementwise("chaotic_sine", kWide, "sin(1e6 * v)");
    const Json output = tools().judge(problem, kernel_of("sinf(1e6f * v)"), "standard");
    CHECK(output["verdict"] == "invalid_reference");
    CHECK(output["message"].get<std::string>().starts_with(
        "the problem is ill conditioned: rounding its inputs moves the reference's `y` by as much "
        "as the kernel is off, "));
    CHECK(output["next_steps"][0]["why"] ==
          "change the problem, not the kernel: give its inputs another `fill` or `domain`, or "
          "correct its reference, and send it with compile_kernel");
  }

  TEST_CASE("a wrong kernel on such a problem is still wrong") {
    const Json problem = elementwise("steep_sine", kWide, "sin(1000 * v)");
    CHECK(tools().judge(problem, kernel_of("0.0f * v + 2.0f"), "standard")["verdict"] ==
          "incorrect");
  }

  TEST_CASE("a kernel that is wrong on the declared fill alone is found at both levels") {
    // Zeros where the block's numbers look like the normal ones that the problem declares.
    const Json problem = elementwise("twice_f", R"("normal")", "2 * v");
    Json kernel = kernel_of("2 * v");
    kernel["source"] =
        "__global__ void k(const float* x, float* y, int n) {\n" + std::string(kIndex) +
        "  float sum = 0, squares = 0;\n  int count = n < 200 ? n : 200;\n"
        "  for (int k = 0; k < count; ++k) { sum += x[k]; squares += x[k] * x[k]; }\n"
        "  sum /= count; squares /= count;\n"
        "  bool usual = count == 200 && fabsf(sum) < 0.2f && squares > 0.7f && squares < 1.4f;\n"
        "  if (i < n) y[i] = usual ? 0.0f : 2 * x[i];\n}\n";
    CHECK(tools().judge(problem, kernel, "standard")["verdict"] == "incorrect");
  }
}

}  // namespace ws::test
