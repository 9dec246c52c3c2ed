// `warpsmith replay`: workflow files, and what a step that does not hold any more says.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/lineage/workflow_script.h"
#include "tests/support/child.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

Ended replay(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"replay", "--no-gpu"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child("warpsmith", words);
  Ended ended;
  ended.out = child.rest();
  ended.err = child.errors();
  ended.status = child.wait(std::chrono::seconds(10)).value_or(-1);
  return ended;
}

constexpr const char* kBody = "  if (i < n) y[i] = 2 * x[i];";

/// A step that puts another text in place of the kernel's third line.
Json body_step(const std::string& text, const std::string& old = kBody) {
  return {{"edits", {{{"op", "replace"}, {"from", 3}, {"old", old}, {"text", text}}}}};
}

Json pass_step(int pass, const Json& edits) {
  return {{"transformation", "refactor"}, {"pass", pass}, {"edits", edits}};
}

Json twice_workflow(const Json& steps) {
  return {{"workflow", 1},
          {"name", "twice"},
          {"problem", twice_problem()},
          {"kernel", good_kernel()},
          {"steps", steps}};
}

std::string file_of(const TestFolder& folder, const Json& workflow) {
  const std::filesystem::path path = folder.path() / "workflow.json";
  REQUIRE(write_file(path, workflow.is_string() ? workflow.get<std::string>() : workflow.dump()));
  return path.string();
}

struct FormCase {
  const char* name;
  const char* pointer;  // The part of a good workflow that is replaced.
  const char* value;    // By this JSON.
  const char* message;
};

constexpr std::array kFormCases = {
    FormCase{"no object", "", "[]",
             "invalid_argument: workflow: expected an object, got a list of 0 items"},
    FormCase{"another version", "/workflow", "2",
             "invalid_argument: workflow.workflow: expected 1, got 2; a newer warpsmith may read "
             "it"},
    FormCase{"a field of another name", "/step", "[]",
             "invalid_argument: workflow: unknown field `step`; did you mean `steps`?"},
    FormCase{"a name that no ref bears", "/name", "\"Two Words\"",
             "invalid_argument: workflow.name: expected lower-case letters, digits and _ . -, got "
             "\"Two Words\""},
    FormCase{"a kernel that is a number", "/kernel", "7",
             "invalid_argument: workflow.kernel: expected an object, or the name of a file that "
             "holds one, got 7"},
    FormCase{"a file that is not there", "/problem", "\"none.json\"",
             "io: cannot read FOLDER/none.json (open: No such file or directory)"},
    FormCase{"steps that are no list", "/steps", "{}",
             "invalid_argument: workflow.steps: expected a list of 0 to 400 items, got an object"},
    FormCase{"a step that does nothing", "/steps/0", R"({"transformation": "refactor"})",
             "invalid_argument: workflow.steps[0]: it has neither `edits`, `set` nor `tune`"},
    FormCase{"a pass of nothing", "/steps/0", R"({"pass": 1, "edits": []})",
             "invalid_argument: workflow.steps[0].pass: it needs a `transformation`"},
    FormCase{"an invalid number of a pass", "/steps/0",
             R"({"transformation": "refactor", "pass": 0, "edits": []})",
             "invalid_argument: workflow.steps[0].pass: expected an integer from 1 to 400, got 0"},
    FormCase{"edits that are no list", "/steps/0", R"({"edits": "x"})",
             "invalid_argument: workflow.steps[0].edits: expected a list of edits, got \"x\""},
    FormCase{"a problem elsewhere", "/problem", R"("../problem.json")",
             "invalid_argument: workflow.problem: expected the name of a file in the workflow's "
             "folder, got \"../problem.json\""},
    FormCase{"a search without what it found", "/steps/0", R"({"tune": {}})",
             "invalid_argument: workflow.steps[0]: field `params` is missing; record the values "
             "that the search found, for servers without the tool tune"},
    FormCase{"a search that edits", "/steps/0", R"({"tune": {}, "params": {}, "edits": []})",
             "invalid_argument: workflow.steps[0]: a step with `tune` has no edits, set or "
             "transformation of its own"},
    FormCase{"parameters of no search", "/steps/0", R"({"edits": [], "params": {}})",
             "invalid_argument: workflow.steps[0]: `params` belongs to a step with `tune`"},
    FormCase{
        "a timing of another name", "/benchmark", R"([{"budget": 1}])",
        "invalid_argument: workflow.benchmark[0]: unknown field `budget`; known: time_budget_ms, "
        "devices, workloads, cache"},
};

std::string without(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// With KERNEL in place of the names of kernels, and N of how many elements inputs show as wrong.
std::string nameless(const std::string& text) {
  const std::string named =
      std::regex_replace(text, std::regex("krn_[a-z0-9_]+_[0-9a-f]{32}"), "KERNEL");
  const std::string counted =
      std::regex_replace(named, std::regex("[0-9]+ of 1000 elements"), "N of 1000 elements");
  return std::regex_replace(counted, std::regex(" \\(elements [0-9]+ to [0-9]+\\)"), "");
}

struct StepCase {
  const char* name;
  Json steps;
  const char* message;
};

}  // namespace

TEST_SUITE("replay") {
  TEST_CASE("a workflow that is malformed is refused by the field's name") {
    for (const FormCase& c : kFormCases) {
      CAPTURE(c.name);
      const TestFolder folder;
      Json form = twice_workflow(Json::array({body_step("  if (i < n) y[i] = x[i] + x[i];")}));
      form[Json::json_pointer(c.pointer)] = Json::parse(c.value);
      const Result<Workflow> read = read_workflow(file_of(folder, form));
      REQUIRE_FALSE(read.has_value());
      CHECK(without(to_text(read.error()), folder.path().string(), "FOLDER") == c.message);
    }
  }

  TEST_CASE("a workflow reads back as it was written, with its texts as lists of lines") {
    const TestFolder folder;
    Json steps = {body_step("  if (i < n) {\n    y[i] = x[i] + x[i];\n  }\n"),
                  {{"transformation", "refactor"},
                   {"pass", 2},
                   {"edits", Json::array()},
                   {"set", {{"defaults", {{"B", 1}}}}},
                   {"devices", {"cpu", "sm_90a"}},
                   {"note", "why"}},
                  {{"tune", {{"budget_s", 5}}}, {"params", {{"B", 2}}}}};
    Json form = twice_workflow(steps);
    form["title"] = "a title";
    form["benchmark"] = {{{"devices", {"cpu"}}, {"cache", "hot"}}, {{"time_budget_ms", 100}}};
    const Result<Workflow> first = read_workflow(file_of(folder, form));
    REQUIRE_MESSAGE(first.has_value(), to_text(first.error()));
    const Json written = to_json(*first);
    CHECK(written["kernel"]["source"].size() == 4);
    CHECK(written["steps"][0]["edits"][0]["text"].size() == 3);
    const Result<Workflow> second = read_workflow(file_of(folder, written));
    REQUIRE(second.has_value());
    CHECK(second->kernel == first->kernel);
    CHECK(second->problem == first->problem);
    CHECK(second->steps[0].edits == first->steps[0].edits);
    CHECK(to_json(*second) == written);
    CHECK(is_for(second->steps[1].devices, "cuda", "sm_90a"));
    CHECK_FALSE(is_for(second->steps[1].devices, "cuda", "sm_80"));
  }

  TEST_CASE("a step that does not hold is reported by number and name, with status 1") {
    const std::vector<StepCase> cases = {
        {"an edit whose lines are others",
         Json::array({pass_step(1, body_step("x", "y[i] = 3;")["edits"])}),
         "step 1 (`refactor`, pass 1): apply_transformation failed: conflict: edits[0]: `old` does "
         "not match source lines 3 to 3, which are now:\n  3 |   if (i < n) y[i] = 2 * x[i];; copy "
         "the lines as they are, without their numbers"},
        {"a wrong result",
         Json::array({pass_step(1, Json::array()), body_step("  if (i < n) y[i] = 3 * x[i];")}),
         "step 2 (edit): KERNEL: incorrect: output `y`: N of 1000 elements differ: every wrong "
         "value is 1.5 times the right one"},
        {"a kernel that does not compile", Json::array({body_step("  y[i] = nothing;")}),
         "step 1 (edit): KERNEL: compile_error: source:3: use of undeclared identifier 'nothing'"},
        {"no such transformation",
         Json::array({{{"transformation", "refactr"}, {"edits", Json::array()}}}),
         "step 1 (`refactr`): apply_transformation failed: not_found: no transformation "
         "`refactr`; did you mean `refactor`?"},
        {"a pass whose turn has not come", Json::array({pass_step(3, Json::array())}),
         "step 1 (`refactor`, pass 3): apply_transformation failed: invalid_argument: pass 3 of "
         "`refactor` is not the next of KERNEL: pass 1 is; make the passes in order; send `edits` "
         "[] for one that has nothing to change"},
        {"a pass outside its region",
         Json::array({{{"transformation", "refactor"},
                       {"pass", 1},
                       {"set", {{"launches", Json::array()}}}}}),
         "step 1 (`refactor`, pass 1): pass 1 of 3 of `refactor` (named indices) failed, attempt "
         "1: set: it changes `plan`, and pass 1 of 3 of `refactor` (named indices) may change only "
         "`source`"},
    };
    for (const StepCase& c : cases) {
      CAPTURE(c.name);
      const TestFolder folder;
      const Ended ended = replay({file_of(folder, twice_workflow(c.steps)), "--quick", "--json"});
      CHECK(ended.status == 1);
      CHECK(nameless(ended.err) == "the replay failed: " + std::string(c.message) + "\n");
      const Json report = Json::parse(ended.out);
      CHECK(report["ok"] == false);
      CHECK(nameless(report["failure"]) == c.message);
    }
  }

  TEST_CASE("a missing file, a wrong first kernel and an unknown device are reported") {
    const TestFolder folder;
    CHECK(replay({folder.path().string()}).err ==
          "the replay failed: cannot read " + folder.path().string() + "/workflow.json\n");
    Json form = twice_workflow(Json::array());
    CHECK(replay({file_of(folder, form), "--device", "cuda:9"}).err ==
          "the replay failed: list_devices failed: not_found: no device `cuda:9`; the devices here "
          "are cpu:0; see list_devices\n");
    form["kernel"] = twice_kernel("  if (i < n) y[i] = x[i];");
    const Ended wrong = replay({file_of(folder, form)});
    CHECK(wrong.status == 1);
    CHECK(
        nameless(wrong.err).starts_with("the replay failed: the first kernel: KERNEL: incorrect"));
  }

  TEST_CASE("steps for other devices are passed over, and recorded parameters stand in") {
    const TestFolder folder;
    Json kernel = good_kernel();
    kernel["params"] = {{"B", {64, 32}}};
    kernel["launches"][0]["block"] = {"B"};
    kernel["launches"][0]["grid"] = {"cdiv(n, B)"};
    Json elsewhere = body_step("this is no CUDA");
    elsewhere["devices"] = {"cuda", "sm_90a"};
    Json form = twice_workflow(
        Json::array({elsewhere,
                     {{"tune", {{"budget_s", 1}}}, {"params", {{"B", 32}}}},
                     pass_step(1, body_step("  if (i < n) y[i] = x[i] + x[i];")["edits"])}));
    form["kernel"] = kernel;
    // A launch takes much longer than starting one, so that any machine can time it.
    form["problem"]["dims"] = {{"n", {{"values", {1 << 20}}, {"min", 1}, {"max", 1 << 20}}}};
    const std::string svg = (folder.path() / "chart.svg").string();
    const Ended ended = replay({file_of(folder, form), "--quick", "--json", "--svg", svg});
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    const Json report = Json::parse(ended.out);
    CHECK(report["for_other_devices"] == 1);
    REQUIRE(report["steps"].size() == 3);
    CHECK(report["steps"][1]["label"] == "tune");
    CHECK(report["steps"][2]["label"] == "refactor");
    CHECK(report["steps"][2].contains("total"));
    CHECK(read_file(svg).value().find(">refactor</text>") != std::string::npos);
  }

  TEST_CASE("steps that are too short to time are right all the same") {
    const TestFolder folder;
    Json form = twice_workflow(
        Json::array({pass_step(1, body_step("  if (i < n) y[i] = x[i] + x[i];")["edits"])}));
    form["problem"]["dims"] = {{"n", {{"values", {1}}, {"min", 1}, {"max", 64}}}};
    const Ended ended = replay({file_of(folder, form), "--quick", "--json"});
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    const Json step = Json::parse(ended.out)["steps"].back();
    if (step["verdict"] == "resolution_limited") {  // Unless the machine was disturbed.
      CHECK_FALSE(step.contains("total"));
      CHECK(nameless(step["notes"].back()) ==
            "KERNEL: resolution_limited on the CPU (emulated): a launch takes less time "
            "than starting one here: larger workloads can be compared");
    }
  }

  TEST_CASE("what is tuned is what the workflow times") {
    const TestFolder folder;
    const TestFolder data;
    Json form = twice_workflow(Json::array(
        {{{"tune", {{"budget_s", 1}, {"max_evaluations", 2}}}, {"params", {{"B", 32}}}}}));
    form["kernel"]["params"] = {{"B", {64, 32}}};
    form["kernel"]["launches"][0]["block"] = {"B"};
    form["kernel"]["launches"][0]["grid"] = {"cdiv(n, B)"};
    form["benchmark"] = {{{"workloads", {{{"n", 3000}}}}, {"time_budget_ms", 100}}};
    const Ended ended = replay({file_of(folder, form), "--json", "--data", data.path().string()});
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    const std::string tuned = Json::parse(ended.out)["steps"][0]["kernel_id"];
    const auto archive = Archive::open(data.path());
    REQUIRE(archive.has_value());
    const auto evidence = (*archive)->latest_evidence(tuned, "cpu:0", "tune");
    REQUIRE(evidence.has_value());
    REQUIRE(evidence->has_value());
    CHECK(Json::parse((*evidence)->json)["output"]["workloads"][0]["workload"] ==
          Json{{"n", 3000}});
  }

  TEST_CASE("an interrupted replay says so and leaves no folder behind") {
    const TestFolder folder;
    const TestFolder temporary;
    const std::string file = file_of(folder, twice_workflow(Json::array()));
    ::setenv("TMPDIR", temporary.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    Child child("warpsmith", {"replay", "--no-gpu", file});
    const std::optional<std::string> first = child.line();
    ::unsetenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
    CHECK(first == "twice");
    child.signal(SIGTERM);
    CHECK(child.wait(std::chrono::seconds(10)) == 128 + SIGTERM);
    CHECK(child.errors() == "the replay failed: it was interrupted\n");
    CHECK(std::filesystem::is_empty(temporary.path()));
  }

  TEST_CASE("what was exported is replayed to the same kernel") {
    const TestFolder folder;
    const TestFolder data;
    Json form = twice_workflow(Json::array(
        {pass_step(
             1, body_step("  const bool inside = i < n;\n  if (inside) y[i] = 2 * x[i];")["edits"]),
         pass_step(2, Json::array()),
         {{"transformation", "refactor"},
          {"pass", 3},
          {"set", {{"params", {{"B", {64, 32}}}}, {"launches", good_kernel()["launches"]}}}},
         {{"edits",
           {{{"region", "macros"}, {"op", "insert"}, {"from", 1}, {"text", "#define TWO 2"}},
            {{"op", "replace"},
             {"from", 4},
             {"old", "  if (inside) y[i] = 2 * x[i];"},
             {"text", "  if (inside) y[i] = TWO * x[i];"}}}}}}));
    form["steps"][2]["set"]["launches"][0]["block"] = {"B"};
    form["steps"][2]["set"]["launches"][0]["grid"] = {"cdiv(n, B)"};
    const Ended first =
        replay({file_of(folder, form), "--quick", "--json", "--data", data.path().string()});
    REQUIRE_MESSAGE(first.status == 0, first.err);
    Child call("warpsmith", {"call", "workflow", "--no-gpu", "--data", data.path().string(),
                             R"({"action": "export", "ref": "twice@replay", "detail": "full"})"});
    const Json exported = Json::parse(call.rest());
    CHECK(exported["kernel_id"] == Json::parse(first.out)["kernel_id"]);
    const Ended again = replay({file_of(folder, exported["script"]), "--quick", "--json"});
    REQUIRE_MESSAGE(again.status == 0, again.err);
    CHECK(Json::parse(again.out)["kernel_id"] == exported["kernel_id"]);
  }
}

}  // namespace ws::test
