// A program with an output more: a GEMM lowered to one that adds up its rows, as it was recorded.
#include <chrono>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/lineage/workflow_script.h"
#include "tests/support/child.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

const char* const kFolder = "examples/workflows/gemm-rowsum";

Workflow recorded() {
  Result<Workflow> workflow = read_workflow(source_dir() / kFolder);
  REQUIRE_MESSAGE(workflow.has_value(), to_text(workflow.error()));
  REQUIRE(workflow->steps.size() == 1);
  return *std::move(workflow);
}

/// apply_transformation's arguments without edits. Sizes that take little time.
Json asked(const Workflow& workflow) {
  const std::string kernel = tools().compiled(workflow.problem, workflow.kernel);
  Json problem = workflow.steps[0].problem;
  problem["dims"] = {{"m", {{"values", {100}}, {"min", 1}, {"max", 200}}},
                     {"n", {{"values", {72}}, {"min", 8}, {"max", 200}, {"multiple_of", 8}}},
                     {"k", {{"values", {40}}, {"min", 8}, {"max", 200}, {"multiple_of", 8}}}};
  return {{"kernel_id", kernel}, {"target_ir", workflow.steps[0].target_ir}, {"problem", problem}};
}

Json with_edits(Json arguments, const Json& edits, const Json& set) {
  arguments["edits"] = edits;
  arguments["set"] = set;
  return arguments;
}

}  // namespace

TEST_SUITE("replay.gemm_rowsum") {
  TEST_CASE("a new store may stand after the nest that it follows") {
    const Json output = tools().result("apply_transformation", asked(recorded()));
    REQUIRE(output["editable"].size() == 2);
    CHECK(output["editable"][0]["lines"].size() == 1);
    const Json& window = output["editable"][1];
    CHECK(window["from"] == 35);
    CHECK(window["to"] == 38);
    CHECK(window["was"] == Json::array());
    CHECK(window["becomes"] == Json{"atomic_add(self.R, blockIdx.y, sum(sum_, 1))"});
    CHECK(output["plan"]["becomes"] ==
          Json{"def __init__(self, A, B, C, R, k, m, n):", "self.R = R"});
  }

  TEST_CASE("the recorded edits make the kernel what the target says") {
    const Workflow workflow = recorded();
    const WorkflowStep& step = workflow.steps[0];
    const Json output =
        tools().result("apply_transformation", with_edits(asked(workflow), step.edits, step.set));
    CHECK_MESSAGE(output["verdict"] == "passed", output.value("reason", ""));
    CHECK(output["applied"] == true);
  }

  TEST_CASE("a sum that leaves out an element of each thread is found") {
    const Workflow workflow = recorded();
    Json edits = workflow.steps[0].edits;
    std::string text = edits[1]["text"];
    const std::string last = " + sum[i][3]";
    const std::size_t at = text.find(last);
    REQUIRE(at != std::string::npos);
    edits[1]["text"] = text.erase(at, last.size());
    const Json output = tools().result("apply_transformation",
                                       with_edits(asked(workflow), edits, workflow.steps[0].set));
    CHECK(output["applied"] == false);
    CHECK(output["verdict"] == "incorrect");
  }

  TEST_CASE("without a problem that has the new argument, or with two, it is refused") {
    Json arguments = asked(recorded());
    const Json problem = arguments["problem"];
    arguments.erase("problem");
    const std::string own =
        tools().result("compile_kernel", {{"kernel_id", arguments["kernel_id"]}})["problem_id"];
    CHECK(tools().refusal("apply_transformation", arguments) ==
          "invalid_argument: `target_ir` has arguments that " + own +
              " does not give; send a `problem` that has them, or name one by `problem_id`");
    arguments["problem"] = problem;
    arguments["problem_id"] = own;
    CHECK(tools().refusal("apply_transformation", arguments) ==
          "invalid_argument: give only one of `problem` and `problem_id`");
    arguments.erase("problem_id");
    arguments["problem"].erase("args");
    CHECK(tools().refusal("apply_transformation", arguments) ==
          "invalid_argument: problem: field `args` is missing");
  }

  TEST_CASE("a workflow's problem belongs to a lowering") {
    const TestFolder folder;
    Json form = to_json(recorded());
    form["steps"][0].erase("target_ir");
    const std::string file = folder.path() / "workflow.json";
    REQUIRE(write_file(file, form.dump()));
    const Result<Workflow> workflow = read_workflow(file);
    REQUIRE_FALSE(workflow.has_value());
    CHECK(workflow.error().message ==
          "workflow.steps[0]: `problem` belongs to a step with `target_ir`");
  }

  TEST_CASE("it is replayed by the command line") {
    Child child("warpsmith", {"replay", "--no-gpu", "--quick", "--json", source_dir() / kFolder});
    const Json report = Json::parse(child.rest());
    CHECK(child.wait(std::chrono::seconds(10)) == 0);
    CHECK_MESSAGE(report["steps"].back()["verdict"] == "passed", report.value("failure", ""));
  }
}

}  // namespace ws::test
