// apply_transformation: what a pass may set, which pass may be made, and what is kept of a try.
#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "tests/support/tool_bench.h"
#include "tools/apply_transformation/apply_transformation.h"

namespace ws::test {
namespace {

constexpr const char* kTwoPasses = R"(---
name: two-passes
summary: Two passes that may change the plan.
applies_to:
  languages: [cuda]
requires:
  - text: a kernel without the word taken
    lacks: taken
introduces:
  P: [4, 8]
passes:
  - name: one
    region: [source, plan]
    adds: [P]
    constraints: ["P <= 8"]
  - name: two
    region: [source, plan]
    lifts: ["P<=8"]
---
## 1. one
Do it.
### Keep
- All.
### Check
It runs.

## 2. two
Do it again.
### Keep
- All.
### Check
It runs.
)";

constexpr const char* kLater = R"(---
name: later
summary: Comes after the two passes.
applies_to:
  languages: [cuda]
requires:
  - text: the two passes
    after: two-passes
passes:
  - name: only
    region: source
---
## 1. only
Do it.
### Keep
- All.
### Check
It runs.
)";

/// The server with the two transformations above, while it lives.
class OwnTransformations {
 public:
  OwnTransformations() {
    std::ofstream(folder_.path() / "two-passes.md") << kTwoPasses;
    std::ofstream(folder_.path() / "later.md") << kLater;
    tools().services().options.skills = {folder_.path()};
  }

  ~OwnTransformations() { tools().services().options.skills.clear(); }

  OwnTransformations(const OwnTransformations&) = delete;
  OwnTransformations& operator=(const OwnTransformations&) = delete;

 private:
  TestFolder folder_;
};

/// A right kernel with a parameter, a constraint, and a comment of its own in line 1.
std::string kernel_with(const std::string& note) {
  Json kernel = good_kernel();
  kernel["source"] = "// " + note + "\n" + kernel["source"].get<std::string>();
  kernel["params"] = {{"Q", {1, 2}}};
  kernel["constraints"] = {"Q <= 2"};
  return tools().compiled(twice_problem(), kernel);
}

Json ask(const std::string& kernel, const std::string& transformation, Json more = Json::object()) {
  more["kernel_id"] = kernel;
  more["transformation"] = transformation;
  return tools().result("apply_transformation", more);
}

std::string refusal(const std::string& kernel, const std::string& transformation,
                    Json more = Json::object()) {
  more["kernel_id"] = kernel;
  more["transformation"] = transformation;
  return tools().refusal("apply_transformation", more);
}

Json note(const std::string& text) {
  return {{"edits", {{{"op", "insert"}, {"from", 1}, {"text", "// " + text}}}}};
}

std::string changed_by_hand(const std::string& kernel, Json change) {
  change["base"] = kernel;
  return tools().result("compile_kernel", change)["kernel_id"];
}

struct SetCase {
  const char* set;
  const char* edit;
  const char* reason;
};

constexpr const char* kClosed =
    "a pass may set only launches, params, defaults, constraints, scratch, tensor_maps and symbols";

constexpr SetCase kRefused[] = {
    {R"({"headers": {"a.h": ""}})", "set.headers", kClosed},
    {R"({"headers": 3})", "set.headers", kClosed},
    {R"({"language": "hip"})", "set.language", kClosed},
    {R"({"name": "other"})", "set.name", kClosed},
    {R"({"options": []})", "set.options", kClosed},
    {R"({"source": ""})", "set.source", kClosed},
    {R"({"macros": ""})", "set.macros", kClosed},
    {R"({"params": 3})", "set.params", "it is not an object"},
    {R"({"params": {"Q": [1]}})", "set.params",
     "it drops the value 2 of `Q`; a pass may only add values"},
    {R"({"params": {"P": [4, 8]}})", "set.params",
     "it drops the value 1 of `Q`; a pass may only add values"},
    {R"({"params": {"Q": [1, 2], "P": [4]}})", "set.params",
     "it drops the value 8 of `P`; a pass may only add values"},
    {R"({"constraints": "Q <= 2"})", "set.constraints", "it is not an array"},
    {R"({"constraints": []})", "set.constraints",
     "it drops `Q <= 2`; a pass may not drop a constraint"},
    {R"({"constraints": ["Q <= 2", "n == 1000"]})", "set.constraints",
     "it adds `n == 1000`; a pass adds only its own constraints"}};

}  // namespace

TEST_SUITE("tools.transformation_rules") {
  TEST_CASE("a pass without edits is skipped: the next one's turn comes, and nothing is made") {
    const OwnTransformations own;
    const std::string kernel = kernel_with("skipped");
    const Json told = ask(kernel, "two-passes");
    CHECK(told["next_steps"][0]["arguments"] ==
          Json{{"kernel_id", kernel}, {"transformation", "two-passes"}, {"pass", 1}});
    const Json first = ask(kernel, "two-passes", {{"edits", Json::array()}});
    CHECK(first["summary"] == "pass 1 of 2 of `two-passes` (one) skipped: no edits were sent");
    CHECK(first["applied"] == false);
    CHECK(first["verdict"] == "skipped");
    CHECK(first["kernel_id"] == kernel);
    CHECK_FALSE(first.contains("tried"));
    CHECK(first["next_steps"][0]["arguments"] ==
          Json{{"kernel_id", kernel}, {"transformation", "two-passes"}, {"pass", 2}});
    // The additions of the skipped pass come with the next one.
    CHECK(ask(kernel, "two-passes")["add_params"] == Json{{"P", {4, 8}}});
    CHECK(ask(kernel, "two-passes", {{"edits", Json::array()}})["verdict"] == "skipped");
    const Json list = tools().result("apply_transformation", {{"kernel_id", kernel}});
    REQUIRE(list["history"].size() == 2);
    CHECK(list["history"][1]["verdict"] == "skipped");
    CHECK(list["others"]["later"] == "needs the two passes");
    for (const Json& row : list["transformations"]) {
      CHECK((row["name"] != "two-passes" || row["failed"] == 0));
    }
    const std::string made = ask(kernel, "two-passes", note("made"))["kernel_id"];
    CHECK(ask(made, "two-passes", {{"edits", Json::array()}})["verdict"] == "skipped");
    CHECK(ask(made, "later")["pass"]["index"] == 1);
  }

  TEST_CASE("an earlier pass may be made again, and the first one's requirements are judged then") {
    const OwnTransformations own;
    const std::string kernel = kernel_with("again");
    const std::string made = ask(kernel, "two-passes", note("taken"))["kernel_id"];
    CHECK(ask(made, "two-passes")["pass"]["index"] == 2);
    const std::string arch = tools().services().devices.back().backend->info()->arch;
    const std::string needs = " on cpu:0 (" + arch +
                              "): it needs a kernel without the word taken; call it without "
                              "`transformation` to see those that apply";
    CHECK(refusal(made, "two-passes", {{"pass", 1}}) ==
          "invalid_argument: `two-passes` does not apply to " + made + needs);
    CHECK(ask(kernel, "two-passes", {{"edits", Json::array()}})["verdict"] == "skipped");
    CHECK(ask(kernel, "two-passes", {{"pass", 1}})["pass"]["index"] == 1);
    // A skipped pass made nothing that the second could rest on.
    const std::string by_hand = changed_by_hand(kernel, note("taken by hand"));
    CHECK(refusal(by_hand, "two-passes", {{"pass", 2}}) ==
          "invalid_argument: `two-passes` does not apply to " + by_hand + needs);
  }

  TEST_CASE("a kernel that was put into another language is refused at later passes too") {
    const OwnTransformations own;
    const std::string made = ask(kernel_with("language"), "two-passes", note("made"))["kernel_id"];
    const std::string other = changed_by_hand(made, {{"set", {{"language", "hip"}}}});
    const std::string arch = tools().services().devices.back().backend->info()->arch;
    CHECK(refusal(other, "two-passes", {{"pass", 2}}) ==
          "invalid_argument: `two-passes` does not apply to " + other + " on cpu:0 (" + arch +
              "): it needs a kernel in cuda; call it without `transformation` to see those that "
              "apply");
  }

  TEST_CASE("what a pass may not set is refused with the reason") {
    const OwnTransformations own;
    const std::string kernel = kernel_with("set");
    for (const SetCase& row : kRefused) {
      CAPTURE(row.set);
      const Json made = ask(kernel, "two-passes", {{"set", Json::parse(row.set)}});
      CHECK(made["applied"] == false);
      CHECK(made["refused"][0] == Json{{"edit", row.edit}, {"reason", row.reason}});
      CHECK_FALSE(made.contains("compile"));
    }
    const Json set = {{"params", {{"Q", {2, 1}}, {"P", {8, 4, 2}}}},
                      {"constraints", {"Q <= 2", "P <= 8"}}};
    const Json made = ask(kernel, "two-passes", {{"set", set}});
    CHECK_MESSAGE(made["applied"] == true, made.dump());
  }

  TEST_CASE("a constraint that a pass lifts is taken away, and may be left out of set") {
    const OwnTransformations own;
    const std::string first = ask(kernel_with("lifts"), "two-passes", note("one"))["kernel_id"];
    const auto constraints_of = [](const std::string& kernel) {
      const auto row = tools().services().archive->kernel(kernel);
      REQUIRE(row.has_value());
      return Json::parse(row->json)["constraints"];
    };
    REQUIRE(constraints_of(first) == Json{"Q <= 2", "P <= 8"});
    const Json asked = ask(first, "two-passes");
    CHECK(asked["lift_constraints"] == Json{"P <= 8"});
    CHECK(asked["add_constraints"] == Json::array());
    CHECK(constraints_of(ask(first, "two-passes", note("two"))["kernel_id"]) == Json{"Q <= 2"});
    const Json set = {{"set", {{"constraints", {"Q <= 2"}}}}};
    const Json made = ask(first, "two-passes", set);
    REQUIRE_MESSAGE(made["applied"] == true, made.dump());
    CHECK(constraints_of(made["kernel_id"]) == Json{"Q <= 2"});
  }

  TEST_CASE("refusals are few and short, and a stored reason is one short line") {
    const OwnTransformations own;
    const std::string kernel = kernel_with("short");
    Json edits = Json::array();
    for (int i = 0; i < 12; ++i) {
      edits.push_back({{"region", "macros"}, {"op", "insert"}, {"from", 1}, {"text", ""}});
    }
    const Json made = ask(kernel, "two-passes", {{"edits", edits}});
    CHECK(made["refused_count"] == 12);
    REQUIRE(made["refused"].size() == 10);
    CHECK(made["refused"][9] ==
          Json{{"edit", "edits[9]"},
               {"reason",
                "it changes `macros`, and pass 1 of 2 of `two-passes` (one) may change only "
                "`source+plan`"}});
    const std::string name(300, 'v');
    const Json broken = {
        {"edits", {{{"op", "insert"}, {"from", 1}, {"text", "int w = " + name + ";"}}}}};
    CHECK(ask(kernel, "two-passes", broken)["verdict"] == "compile_error");
    const auto rows = tools().services().archive->pass_statistics("two-passes");
    REQUIRE(rows.has_value());
    std::string stored;
    for (const PassStatistic& row : *rows) {
      stored = row.verdict == Verdict::kCompileError ? row.reason : stored;
    }
    CHECK(stored.starts_with("source:1: use of undeclared identifier 'vvv"));
    CHECK(stored.size() == 203);  // With the dots.
    const Json asked = ask(kernel, "two-passes");
    for (const Json& row : asked["statistics"]) {
      CHECK(row.size() == 2);
      CHECK((row.contains("verdict") && row.contains("tries")));
    }
  }

  TEST_CASE("`fresh` goes on to the stages") {
    const OwnTransformations own;
    const std::string kernel = kernel_with("fresh");
    const auto tried = [&](bool fresh) {
      Json arguments = note("made");
      arguments["fresh"] = fresh;
      return ask(kernel, "two-passes", arguments);
    };
    const Json first = tried(false);
    const Json known = tried(false);
    CHECK(known["compile"]["cache"] == "hit");
    CHECK(known["validation"]["evidence_id"] == first["validation"]["evidence_id"]);
    const Json anew = tried(true);
    CHECK(anew["compile"]["cache"] != "hit");
    CHECK(anew["validation"]["evidence_id"] != first["validation"]["evidence_id"]);
  }

  TEST_CASE("a proposal of more edits than a call takes is not made") {
    std::string body = "int s = 0;\n";
    for (int i = 0; i < 201; ++i) {
      body += "  for (int j = 0; j < 2; ++j) {\n    s += j;\n  }\n";
    }
    const std::string kernel =
        tools().compiled(twice_problem(), twice_kernel(body + "  if (i < n) y[i] = 2 * x[i];"));
    const Json told = ask(kernel, "loop-unroll");
    CHECK_FALSE(told.contains("proposal"));
    CHECK(told["no_proposal"] == "it would have 201 edits, and a pass takes at most 200");
  }
}

}  // namespace ws::test
