// Problems on which a pass says little: examined whatever path the answer takes.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Its results are its input: a copy would pass.
Json weak_problem() {
  return twice_problem("if (i < n) y[i] = x[i];");
}

Json copying_kernel() {
  return twice_kernel("  if (i < n) y[i] = x[i];");
}

const Json kWeakness = {"a copy of `x` would pass as `y`"};

/// The archive as it was before the problem was examined: its newest evidence of that kind says
/// nothing of weaknesses, and the answer about the problem is gone.
void forget(ToolBench& bench, const std::string& kernel, const std::string& kind) {
  Archive& archive = *bench.services().archive;
  EvidenceRow row = archive.latest_evidence(kernel, {}, kind).value().value();
  Json record = Json::parse(row.json);
  Json& output = record["output"];
  output.erase("weak_problem");
  if (kind == "evaluate") {
    output["validation"].erase("weak_problem");
    output["benchmark"].erase("weak_problem");
    output.erase("reward_withheld");
    output["reward"] = 0.55;
  }
  row.json = record.dump();
  row.id.clear();
  REQUIRE(archive.add_evidence(row).has_value());
  REQUIRE(archive.set_setting("admission/3/" + row.problem_id, "null").has_value());
  bench.restart();
}

}  // namespace

TEST_SUITE("tools.weak_problem") {
  TEST_CASE("a stored pass is answered with what is wrong with its problem") {
    ToolBench bench;
    const std::string kernel = bench.compiled(weak_problem(), copying_kernel());
    CHECK(bench.result("validate", {{"kernel_id", kernel}})["weak_problem"] == kWeakness);
    forget(bench, kernel, "validate");
    const Json known = bench.result("validate", {{"kernel_id", kernel}});
    CHECK(known["weak_problem"] == kWeakness);
    CHECK(known["summary"].get<std::string>().ends_with(
        ", on a weak problem: a copy of `x` would pass as `y`"));
  }

  TEST_CASE("a kernel whose pass is known is timed with what is wrong with its problem") {
    ToolBench bench;
    const std::string kernel = bench.compiled(weak_problem(), copying_kernel());
    bench.result("validate", {{"kernel_id", kernel}});
    forget(bench, kernel, "validate");
    const Json timed = bench.result("benchmark", {{"kernel_id", kernel}, {"time_budget_ms", 50}});
    CHECK(timed["weak_problem"] == kWeakness);
  }

  TEST_CASE("a reward that was paid before its problem was examined is not paid again") {
    ToolBench bench;
    const Json first = bench.result(
        "evaluate",
        {{"problem", weak_problem()}, {"kernel", copying_kernel()}, {"device", "cpu:0"}});
    CHECK(first["reward_withheld"] == "the problem is weak: a copy of `x` would pass as `y`");
    forget(bench, first["kernel_id"], "evaluate");
    const Json later =
        bench.result("evaluate", {{"kernel_id", first["kernel_id"]}, {"device", "cpu:0"}});
    CHECK(later["reward"].is_null());
    CHECK(later["reward_withheld"] == first["reward_withheld"]);
    const Json again =
        bench.result("evaluate", {{"kernel_id", first["kernel_id"]}, {"device", "cpu:0"}});
    CHECK(again["evidence_id"] == later["evidence_id"]);
  }

  TEST_CASE("the sizes that a caller asks about do not make a problem weak") {
    ToolBench bench;
    const std::string kernel =
        bench.compiled(twice_problem("if (i < n) y[i] = n < 100 ? 0 : 2 * x[i];"),
                       twice_kernel("  if (i < n) y[i] = n < 100 ? 0 : 2 * x[i];"));
    const Json small = bench.result(
        "validate", {{"kernel_id", kernel}, {"workloads", Json::array({{{"n", 64}}})}});
    CHECK(small["verdict"] == "passed");
    CHECK_FALSE(small.contains("weak_problem"));
  }

  TEST_CASE("a problem whose integers only happen to differ is sound") {
    ToolBench bench;
    const char* count =
        "__global__ void k(const int* x, int* y, int n) {\n"
        "  if (blockIdx.x != 0 || threadIdx.x != 0) return;\n  int different = 0;\n"
        "  for (int i = 0; i < n; ++i) {\n    bool first = true;\n"
        "    for (int j = 0; j < i; ++j) first = first && x[j] != x[i];\n"
        "    different += first;\n  }\n  y[0] = different;\n}\n";
    Json problem = twice_problem();
    problem["dims"]["n"] = {{"values", {64}}, {"min", 16}, {"max", 128}};
    problem["args"][0]["fill"] = {{"kind", "uniform"}, {"low", 0}, {"high", 2000000000}};
    problem["args"][1]["shape"] = {"1"};
    problem["reference"]["source"] = count;
    problem["reference"]["entry"] = "k";
    problem["reference"]["launches"] = with_source(count)["launches"];
    const Json output = bench.judge(problem, with_source(count));
    CHECK(output["verdict"] == "passed");
    CHECK_FALSE(output.contains("weak_problem"));
    const Json cheat = bench.judge(
        problem, with_source("__global__ void k(const int* x, int* y, int n) { y[0] = n; }\n"));
    CHECK(cheat["verdict"] == "incorrect");
  }

  TEST_CASE("a problem that is sound at its larger size is sound") {
    // With one element a running sum is a copy.
    ToolBench bench;
    const std::string body =
        "if (i < n) {\n    y[i] = 0;\n    for (int j = 0; j <= i; ++j) y[i] += x[j];\n  }";
    Json problem = twice_problem(body);
    problem["dims"]["n"] = {1, 200};
    const std::string kernel = bench.compiled(problem, twice_kernel("  " + body));
    CHECK_FALSE(bench.result("validate", {{"kernel_id", kernel}}).contains("weak_problem"));
    problem["dims"]["n"] = Json::array({1});
    const std::string alone = bench.compiled(problem, twice_kernel("  " + body));
    CHECK(bench.result("validate", {{"kernel_id", alone}})["weak_problem"] == kWeakness);
  }
}

}  // namespace ws::test
