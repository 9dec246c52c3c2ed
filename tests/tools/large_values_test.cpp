// Values a hundred times as large as usual, and memory that begins as zeros.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// One thread makes a row: `in` and `out` are its row of `cols` values.
std::string row_source(const char* name, const std::string& body) {
  return std::string("__global__ void ") + name +
         "(const float* x, float* y, int rows, int cols) {\n"
         "  int row = blockIdx.x * 32 + threadIdx.x;\n"
         "  if (row >= rows) return;\n"
         "  const float* in = x + row * cols; float* out = y + row * cols;\n"
         "  " +
         body + "\n}\n";
}

Json launches(const char* entry) {
  return {{{"entry", entry},
           {"grid", {"cdiv(rows, 32)"}},
           {"block", {"32"}},
           {"args", {"x", "y", "rows", "cols"}}}};
}

Json row_problem(const std::string& body) {
  return {{"name", "rows"},
          {"dims",
           {{"rows", {{"values", {20}}, {"min", 1}, {"max", 64}}},
            {"cols", {{"values", {50}}, {"min", 1}, {"max", 128}}}}},
          {"args",
           {{{"name", "x"}, {"type", "f32"}, {"shape", {"rows", "cols"}}, {"role", "in"}},
            {{"name", "y"}, {"type", "f32"}, {"shape", {"rows", "cols"}}, {"role", "out"}}}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"entry", "reference"},
            {"source", row_source("reference", body)},
            {"launches", launches("reference")}}}};
}

Json row_kernel(const std::string& body) {
  return {{"name", "k"},
          {"language", "cuda"},
          {"source", row_source("k", body)},
          {"launches", launches("k")}};
}

std::string each(const char* type, const char* value) {
  return std::string("for (int i = 0; i < cols; ++i) { ") + type + " v = in[i]; out[i] = " + value +
         "; }";
}

constexpr const char* kSoftmax =
    "double most = in[0], sum = 0;\n"
    "  for (int i = 1; i < cols; ++i) most = in[i] > most ? in[i] : most;\n"
    "  for (int i = 0; i < cols; ++i) sum += exp(in[i] - most);\n"
    "  for (int i = 0; i < cols; ++i) out[i] = (float)(exp(in[i] - most) / sum);";
constexpr const char* kCarefulSoftmax =
    "float most = in[0], sum = 0;\n"
    "  for (int i = 1; i < cols; ++i) most = fmaxf(most, in[i]);\n"
    "  for (int i = 0; i < cols; ++i) sum += expf(in[i] - most);\n"
    "  for (int i = 0; i < cols; ++i) out[i] = expf(in[i] - most) / sum;";
constexpr const char* kBoldSoftmax =
    "float sum = 0;\n"
    "  for (int i = 0; i < cols; ++i) sum += expf(in[i]);\n"
    "  for (int i = 0; i < cols; ++i) out[i] = expf(in[i]) / sum;";

}  // namespace

TEST_SUITE("tools.large_values") {
  TEST_CASE("a softmax that does not subtract its maximum overflows, one that does passes") {
    const Json problem = row_problem(kSoftmax);
    const Json careful = tools().judge(problem, row_kernel(kCarefulSoftmax), "standard");
    CHECK_MESSAGE(careful["verdict"] == "passed", careful["summary"]);
    const Json bold = tools().judge(problem, row_kernel(kBoldSoftmax), "standard");
    CHECK(bold["verdict"] == "incorrect_nan");
    CHECK(bold["worst"]["distribution"] == "large");
    CHECK(bold["mismatch"]["pattern_code"] == "not_finite");
  }

  TEST_CASE("a domain without such values has no draw of them") {
    Json problem = row_problem(kSoftmax);
    problem["args"][0]["domain"] = {-6, 6};
    const Json bold = tools().judge(problem, row_kernel(kBoldSoftmax), "standard");
    CHECK_MESSAGE(bold["verdict"] == "passed", bold["summary"]);
  }

  TEST_CASE("large values refuse no kernel that only they overflow, element by element") {
    const Json softplus = row_problem(each("double", "(float)log(1 + exp(v))"));
    const Json usual =
        tools().judge(softplus, row_kernel(each("float", "logf(1 + expf(v))")), "standard");
    CHECK_MESSAGE(usual["verdict"] == "passed", usual["summary"]);
  }

  TEST_CASE("a problem that has no answer for large values is judged by the others") {
    const Json exponential = row_problem(each("double", "(float)exp(v)"));
    const Json kernel =
        tools().judge(exponential, row_kernel(each("float", "expf(v)")), "standard");
    CHECK_MESSAGE(kernel["verdict"] == "passed", kernel["summary"]);
    CHECK_FALSE(kernel.contains("message"));
  }

  TEST_CASE("rounding on large values is no mistake") {
    const Json steep = row_problem(each("double", "(float)sin(v)"));
    const Json kernel =
        tools().judge(steep, row_kernel(each("float", "sinf(1.0001f * v) * 1.0f")), "standard");
    CHECK(kernel["verdict"] == "incorrect");  // Wrong on the usual draws already.
    CHECK(kernel["worst"]["distribution"] != "large");
  }

  TEST_CASE("one launch begins with zeros, as in a fresh process") {
    Json kernel = with_source(
        "__global__ void k(const int* x, int* y, int n, int* t) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = t[0] != t[1] || t[1] != t[2] ? 2 * x[i] : 1;\n}\n");
    kernel["launches"][0]["args"] = {"x", "y", "n", "t"};
    kernel["scratch"] = {{{"name", "t"}, {"type", "i32"}, {"shape", {"8"}}}};
    const Json output = tools().judge(twice_problem(), kernel);
    REQUIRE(output["verdict"] == "incorrect");
    CHECK_MESSAGE(
        output["message"].get<std::string>().starts_with(
            "the result depends on memory that the kernel has not written: with the same inputs it "
            "is right where outputs and scratch hold random bits, and wrong where they are all "
            "zeros, as a fresh process's memory is; output `y`: "),
        output["message"]);
  }

  TEST_CASE("the launch that begins with zeros is no run of its own") {
    const Json output = tools().judge(twice_problem(), good_kernel());
    CHECK(output["summary"] == output["kernel_id"].get<std::string>() + " passed 4 runs");
  }
}

}  // namespace ws::test
