// Plans and problems in full: launches, arguments and inputs, from the form to the verdict on the
// CPU engine.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y[i] = 2 * x[i], whose n is a power of two.
Json even_problem(const std::string& reference_body) {
  Json problem = twice_problem(reference_body);
  problem["dims"]["n"] = {8, 64, 512};
  return problem;
}

Json kernel_of(const std::string& source, const Json& launches) {
  return {{"name", "k"}, {"source", source}, {"launches", launches}};
}

std::string verdict_of(const Json& problem, const Json& kernel) {
  const Json output = tools().judge(problem, kernel, "standard");
  const std::string verdict = output["verdict"];
  return verdict == "passed" ? verdict : verdict + ": " + output["summary"].get<std::string>();
}

}  // namespace

TEST_SUITE("tools.plan_forms") {
  TEST_CASE("launches repeat with two counters, the inner one's count by the outer one: a sort") {
    const Json problem = even_problem(
        "if (i < n) {\n  int place = 0;\n"
        "  for (int j = 0; j < n; ++j) place += x[j] < x[i] || (x[j] == x[i] && j < i);\n"
        "  y[place] = x[i];\n}");
    const std::string source =
        "__global__ void copy(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }\n"
        "__global__ void step(int* y, int size, int stride) {\n"
        "  int i = threadIdx.x, j = i ^ stride;\n  if (j <= i) return;\n"
        "  int a = y[i], b = y[j];\n  if ((a > b) == ((i & size) == 0)) { y[i] = b; y[j] = a; "
        "}\n}\n";
    const auto sort = [&](const char* outer) {
      return kernel_of(
          source,
          {{{"entry", "copy"}, {"grid", {1}}, {"block", {"n"}}, {"args", {"x", "y"}}},
           {{"entry", "step"},
            {"grid", {1}},
            {"block", {"n"}},
            {"args",
             {"y",
              {{"value", "2**(s + 1)"}, {"type", "i32"}},
              {{"value", "2**(s - t)"}, {"type", "i32"}}}},
            {"repeat", {{{"var", "s"}, {"count", outer}}, {{"var", "t"}, {"count", "s + 1"}}}}}});
    };
    CHECK(verdict_of(problem, sort("log2(n)")) == "passed");
    CHECK(verdict_of(problem, sort("log2(n) - 1")).find("incorrect: ") == 0);
  }

  TEST_CASE("parameters come as a struct, a vector and a dim3 by value") {
    const Json problem = twice_problem();
    const std::string source =
        "struct Params { int n; float factor; struct { short first; double rest[2]; } inner; };\n"
        "__global__ void k(const int* x, int* y, Params p, float2 v, dim3 size) {\n"
        "  unsigned i = blockIdx.x * size.x + threadIdx.x;\n"
        "  if (i < p.n && v.y == 4 && size.z == 3 && p.inner.first == -5 && p.inner.rest[1] == "
        "0.25)\n"
        "    y[i] = p.factor * x[i];\n}\n";
    const auto kernel = [&](const char* factor) {
      const auto number = [](const char* value, const char* type) {
        return Json{{"value", value}, {"type", type}};
      };
      const Json params = {{"struct",
                            {"n", number(factor, "f32"), number("-5", "i16"), number("7", "f64"),
                             number("0.25", "f64")}}};
      const Json vector = {{"struct", {number("1", "f32"), number("n * 0 + 4", "f32")}}};
      const Json size = {{"struct", {number("64", "u32"), number("2", "u32"), number("3", "u32")}}};
      return kernel_of(source, {{{"entry", "k"},
                                 {"grid", {"cdiv(n, 64)"}},
                                 {"block", {64}},
                                 {"args", {"x", "y", params, vector, size}}}});
    };
    CHECK(verdict_of(problem, kernel("2")) == "passed");
    CHECK(verdict_of(problem, kernel("3")).find("incorrect: ") == 0);
  }

  TEST_CASE("scratch that is to be zero is zero in each of a validation's launches") {
    const Json problem = twice_problem();
    const auto kernel = [](bool zero) {
      Json form = kernel_of(
          "__global__ void add(const int* x, int* sums, int n) {\n"
          "  int i = blockIdx.x * 64 + threadIdx.x;\n"
          "  if (i < n) { atomicAdd(&sums[i], x[i]); atomicAdd(&sums[i], x[i]); }\n}\n"
          "__global__ void take(const int* sums, int* y, int n) {\n"
          "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = sums[i];\n}\n",
          {{{"entry", "add"},
            {"grid", {"cdiv(n, 64)"}},
            {"block", {64}},
            {"args", {"x", "sums", "n"}}},
           {{"entry", "take"},
            {"grid", {"cdiv(n, 64)"}},
            {"block", {64}},
            {"args", {"sums", "y", "n"}}}});
      form["scratch"] = {{{"name", "sums"}, {"type", "i32"}, {"shape", {"n"}}, {"zero", zero}}};
      return form;
    };
    CHECK(verdict_of(problem, kernel(true)) == "passed");
    CHECK(verdict_of(problem, kernel(false)) != "passed");
  }

  TEST_CASE("the columns of a sparse matrix have an order in each row, at every size") {
    Json problem = Json::parse(R"json({
      "name": "row_sums",
      "dims": {"rows": {"values": [200], "min": 1, "max": 3000},
               "cols": {"values": [500], "min": 1, "max": 3000},
               "nnz": {"values": [2000], "min": 1, "max": 9000}},
      "args": [{"name": "row_ptr", "type": "i32", "shape": ["rows + 1"], "role": "in",
                "fill": {"kind": "csr_offsets", "columns": "cols", "nonzeros": "nnz",
                         "fewest": "nnz // 2"}},
               {"name": "col", "type": "i32", "shape": ["nnz"], "role": "in",
                "fill": {"kind": "csr_columns", "offsets": "row_ptr"}},
               {"name": "y", "type": "i32", "shape": ["rows"], "role": "out"}],
      "reference": {"kind": "kernel", "language": "cuda", "entry": "row_sums"}})json");
    const auto source = [](const char* order) {
      return std::string(
                 "__global__ void row_sums(const int* row_ptr, const int* col, int* y, int rows) "
                 "{\n"
                 "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n"
                 "  int sum = 0;\n"
                 "  for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i) sum += col[i] * ") +
             order + ";\n  y[row] = sum;\n}\n";
    };
    const Json launches = {{{"entry", "row_sums"},
                            {"grid", {"cdiv(rows, 64)"}},
                            {"block", {64}},
                            {"args", {"row_ptr", "col", "y", "rows"}}}};
    // Each column counts by its place in the row, which is only right where columns ascend.
    problem["reference"]["source"] = source("(i - row_ptr[row] + 1)");
    problem["reference"]["launches"] = launches;
    const Json right = tools().judge(
        problem,
        {{"name", "k"}, {"source", source("(1 + i - row_ptr[row])")}, {"launches", launches}},
        "standard");
    CHECK_MESSAGE(right["verdict"] == "passed", right["summary"]);
    const Json wrong = tools().judge(
        problem,
        {{"name", "k"}, {"source", source("(row_ptr[row + 1] - i)")}, {"launches", launches}});
    CHECK(wrong["verdict"] == "incorrect");
  }
}

}  // namespace ws::test
