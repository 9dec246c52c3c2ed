// The tolerance that `validate` used, in its answer.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"
#include "tools/evidence/validation_job.h"

namespace ws::test {
namespace {

/// s[i] is the sum of row i of x, and c[i] counts its positive elements.
constexpr const char* kBody =
    "(const float* x, float* s, int* c, int m, int n) {\n"
    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
    "  if (i >= m) return;\n"
    "  float sum = 0; int count = 0;\n"
    "  for (int j = 0; j < n; ++j) { sum += x[i * n + j]; count += x[i * n + j] > 0; }\n"
    "  s[i] = sum; c[i] = count;\n"
    "}\n";

Json launches(const char* entry) {
  return {{{"entry", entry},
           {"grid", {"cdiv(m, 64)"}},
           {"block", {"64"}},
           {"args", {"x", "s", "c", "m", "n"}}}};
}

Json row_sums(const Json& tolerance, const Json& own_tolerance = nullptr) {
  Json sum = {{"name", "s"}, {"type", "f32"}, {"shape", {"m"}}, {"role", "out"}};
  if (!own_tolerance.is_null()) {
    sum["tolerance"] = own_tolerance;
  }
  Json problem = {{"name", "row_sums"},
                  {"dims", {{"m", {{"values", {40}}}}, {"n", {{"values", {4096}}}}}},
                  {"args",
                   {{{"name", "x"}, {"type", "f32"}, {"shape", {"m", "n"}}, {"role", "in"}},
                    sum,
                    {{"name", "c"}, {"type", "i32"}, {"shape", {"m"}}, {"role", "out"}}}},
                  {"reference",
                   {{"kind", "kernel"},
                    {"language", "cuda"},
                    {"entry", "reference"},
                    {"source", "__global__ void reference" + std::string(kBody)},
                    {"launches", launches("reference")}}}};
  if (!tolerance.is_null()) {
    problem["tolerance"] = tolerance;
  }
  return problem;
}

Json kernel(const std::string& from = {}, const std::string& to = {}) {
  std::string source = "__global__ void k" + std::string(kBody);
  if (!from.empty()) {
    source.replace(source.find(from), from.size(), to);
  }
  return {{"name", "k"}, {"language", "cuda"}, {"source", source}, {"launches", launches("k")}};
}

const Json kCounts = {
    {"output", "c"}, {"type", "i32"}, {"exact", true}, {"workload", {{"m", 40}, {"n", 4096}}}};

/// The largest m of all runs.
Json largest_m(const Json& answer) {
  return answer["coverage"]["largest"]["m"];
}

}  // namespace

TEST_SUITE("tools.error_model") {
  TEST_CASE("the answer has each output's bound, its parts and where they come from") {
    const Json passed = tools().judge(row_sums(nullptr), kernel());
    REQUIRE_MESSAGE(passed["verdict"] == "passed", passed["summary"]);
    const Json sums = {{"output", "s"},          {"type", "f32"},
                       {"rtol", 3.052e-05},      {"rtol_from", "reduction"},
                       {"atol", 3.052e-05},      {"atol_from", "reduction"},
                       {"atol_of", "row_rms"},   {"reduction_length", 4096.0},
                       {"zero_rows", 3.052e-05}, {"workload", {{"m", 40}, {"n", 4096}}}};
    CHECK(passed["tolerance"] == Json::array({sums, kCounts}));
    CHECK(passed["error_model"] ==
          "`s`: |got - want| <= 3.05e-05 * |want| (sums of 4096 terms) + 3.05e-05 * row's RMS "
          "(sums of 4096 terms); `c`: equal values (i32)");
  }

  TEST_CASE("a tolerance that was sent is named, and that whole numbers are compared exactly") {
    const Json sent = {{"rtol", 1e-3}};
    const Json wrong = tools().judge(row_sums(sent, {{"atol", 0.01}}),
                                     kernel("sum += x[i * n + j]", "sum += 1.25f * x[i * n + j]"));
    REQUIRE(wrong["verdict"] == "incorrect");
    CHECK(wrong["tolerance"][0]["rtol_from"] == "reduction");
    CHECK(wrong["tolerance"][0]["atol"] == 0.01);
    CHECK(wrong["tolerance"][0]["atol_from"] == "argument");
    const Json whole = tools().judge(
        row_sums(sent), kernel("s[i] = sum", "s[i] = sum == floorf(sum) ? sum + 1 : sum"));
    REQUIRE(whole["verdict"] == "incorrect");
    CHECK(whole["worst"]["distribution"] == "exact_integers");
    CHECK(whole["error_model"] ==
          "`s`: |got - want| <= 0.001 * |want| (the problem's tolerance) + 3.05e-05 * row's RMS "
          "(sums of 4096 terms); `c`: equal values (i32); equal values where whole numbers give "
          "whole results, as in this run");
  }

  TEST_CASE("a stored answer has the same bounds, and what never ran has none") {
    const Json problem = row_sums(nullptr);
    const std::string id = tools().compiled(problem, kernel("count = 0;", "count = 0; ;"));
    const Json first = tools().result("validate", {{"kernel_id", id}});
    const Json again = tools().result("validate", {{"kernel_id", id}});
    CHECK(first["evidence_id"] == again["evidence_id"]);
    CHECK(first["tolerance"] == again["tolerance"]);
    const Json broken = tools().judge(problem, kernel("float sum = 0", "float sum = 0 +"));
    CHECK(broken["verdict"] == "compile_error");
    CHECK_FALSE(broken.contains("tolerance"));
  }

  TEST_CASE("the job that `evaluate` shares with `validate` answers with the bounds") {
    const std::string id = tools().compiled(row_sums(nullptr), kernel());
    ValidateParams params = Json{{"kernel_id", id}};
    const ToolJob<ShownValidation> job = validation_job(tools().services(), params).value();
    CallContext context;
    context.lane = "cpu:0";
    const Json answer = framed(answer_of(job.work(context).value()));
    CHECK(answer["tolerance"] == tools().result("validate", {{"kernel_id", id}})["tolerance"]);
    CHECK(answer["tolerance"].size() == 2);
  }

  TEST_CASE("a pass says that sizes beyond 32-bit indices were not tried") {
    Json problem = row_sums(nullptr);
    problem["dims"]["m"] = {{"values", {40}}, {"min", 1}, {"max", 1 << 20}};
    const Json passed = tools().judge(problem, kernel("int i", "long long i"));
    REQUIRE_MESSAGE(passed["verdict"] == "passed", passed["summary"]);
    CHECK(passed["summary"] == passed["kernel_id"].get<std::string>() +
                                   " passed 4 runs, not tried: more than 2^31 elements of `x` (32 "
                                   "of 16384 blocks stayed within bounds at 4294967296) and m "
                                   "above " +
                                   largest_m(passed).dump());
    CHECK(passed["not_tried"] ==
          Json{{"argument", "x"},
               {"elements", std::int64_t{1} << 32U},
               {"more_than", std::int64_t{1} << 31U},
               {"sizes", {{{"dim", "m"}, {"above", largest_m(passed)}, {"allowed", 1 << 20}}}}});
    Json small = kernel();
    small["constraints"] = {"m * n < 2147483648"};
    const Json less = tools().judge(problem, small);
    CHECK(less["summary"] == less["kernel_id"].get<std::string>() +
                                 " passed 4 runs, not tried: m above " + largest_m(less).dump());
    CHECK(less["not_tried"] ==
          Json{{"sizes", {{{"dim", "m"}, {"above", largest_m(less)}, {"allowed", 1 << 18}}}}});
  }
}

}  // namespace ws::test
