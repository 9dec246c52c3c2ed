// workflow: the tree of a kernel, names for its states, comparisons, and what is exported.
#include <thread>

#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A right kernel whose first line says something of its own, so that tests share nothing.
std::string first_kernel(const std::string& note, const Json& problem = twice_problem()) {
  Json kernel = good_kernel();
  kernel["source"] = "// " + note + "\n" + kernel["source"].get<std::string>();
  return tools().compiled(problem, kernel);
}

/// A launch takes much longer than starting one, so that any machine can time it.
Json long_problem() {
  Json problem = twice_problem();
  problem["dims"] = {{"n", {{"values", {1 << 20}}, {"min", 1}, {"max", 1 << 20}}}};
  return problem;
}

constexpr const char* kBody = "  if (i < n) y[i] = 2 * x[i];";

Json body_edit(const std::string& text, const std::string& old = kBody) {
  return {{"op", "replace"}, {"from", 4}, {"old", old}, {"text", text}};
}

Json workflow(Json arguments) {
  return tools().result("workflow", arguments);
}

std::string refused(const Json& arguments) {
  return tools().refusal("workflow", arguments);
}

std::string edited(const std::string& base, const Json& edits, const Json& set = Json()) {
  Json arguments = {{"base", base}};
  if (!edits.is_null()) {
    arguments["edits"] = edits;
  }
  if (!set.is_null()) {
    arguments["set"] = set;
  }
  return tools().result("compile_kernel", arguments)["kernel_id"];
}

std::string passed(const std::string& kernel, int pass, const Json& edits) {
  const Json made = tools().result(
      "apply_transformation",
      {{"kernel_id", kernel}, {"transformation", "refactor"}, {"pass", pass}, {"edits", edits}});
  REQUIRE_MESSAGE((made["applied"] == true || made["verdict"] == "skipped"), made.dump());
  return made["kernel_id"];
}

Json times(const std::string& kernel, const std::string& baseline) {
  return tools().result("benchmark",
                        {{"kernel_id", kernel}, {"baseline", baseline}, {"time_budget_ms", 60}});
}

}  // namespace

TEST_SUITE("tools.workflow") {
  TEST_CASE("the log has each step with what made it, its speeds, names and failed tries") {
    const std::string root = first_kernel("log", long_problem());
    const std::string named = passed(
        root, 1,
        Json::array({body_edit("  const bool inside = i < n;\n  if (inside) y[i] = 2 * x[i];")}));
    const Json wrong =
        tools().result("apply_transformation", {{"kernel_id", named},
                                                {"transformation", "refactor"},
                                                {"edits",
                                                 {{{"op", "replace"},
                                                   {"from", 5},
                                                   {"old", "  if (inside) y[i] = 2 * x[i];"},
                                                   {"text", "  if (inside) y[i] = 3 * x[i];"}}}}});
    CHECK(wrong["verdict"] == "incorrect");
    passed(named, 2, Json::array());
    const std::string last =
        edited(named, Json::array({{{"op", "replace"},
                                    {"from", 5},
                                    {"old", "  if (inside) y[i] = 2 * x[i];"},
                                    {"text", "  if (inside) y[i] = x[i] + x[i];"}}}));
    const std::string beside =
        edited(named, Json::array({{{"op", "insert"}, {"from", 1}, {"text", "//"}}}));
    const Json total = times(last, root);
    REQUIRE(total.contains("ratio"));
    workflow({{"action", "branch"}, {"ref", last}, {"name", "log.test@best"}});

    const Json log = workflow({{"action", "log"}, {"ref", "log.test@best"}});
    CHECK(log["kernel_id"] == last);
    REQUIRE(log["tree"].size() == 5);
    const Json& tree = log["tree"];
    CHECK(tree[0]["by"] == "first kernel");
    CHECK(tree[0]["kernel_id"] == root);
    CHECK(tree[1]["by"] == "refactor, pass 1 of 3");
    CHECK(tree[1]["parent"] == root);
    CHECK(tree[1]["failed"] == Json::array({{{"transformation", "refactor"},
                                             {"pass", 2},
                                             {"verdict", "incorrect"},
                                             {"tries", 1}}}));
    CHECK(tree[2]["kernel_id"] == wrong["tried"]);
    CHECK(tree[2]["by"] == "refactor, pass 2");
    CHECK(tree[2]["verdict"] == "incorrect");
    CHECK(tree[3]["by"] == "edit");
    CHECK(tree[3]["depth"] == 2);
    CHECK(tree[3]["refs"] == Json::array({"log.test@best"}));
    CHECK(tree[3]["total"] == total["ratio"]);
    CHECK_FALSE(tree[3].contains("step"));  // Its parent, which another step made, was not timed.
    CHECK(tree[4]["kernel_id"] == beside);
    CHECK(tree[4]["by"] == "edit");
    CHECK(tree[4]["beside"] == true);

    // Once the previous kernel was timed, the step is computed until it is measured.
    const Json middle = times(named, root);
    const Json worked_out = workflow({{"action", "log"}, {"ref", last}})["tree"][3];
    CHECK(worked_out["step_from"] == "totals");
    CHECK(worked_out["step"].get<double>() ==
          doctest::Approx(total["ratio"].get<double>() / middle["ratio"].get<double>())
              .epsilon(1e-3));
    const Json measured = times(last, named);
    const Json step = workflow({{"action", "log"}, {"ref", last}})["tree"][3];
    CHECK_FALSE(step.contains("step_from"));
    CHECK(step["step"] == measured["ratio"]);
    CHECK(step["total"] == total["ratio"]);
  }

  TEST_CASE("a long line shows what fits and says how much it left out") {
    std::string kernel = first_kernel("long");
    for (int i = 0; i < 40; ++i) {
      kernel = edited(
          kernel,
          Json::array({{{"op", "insert"}, {"from", 1}, {"text", "// " + std::to_string(i)}}}));
    }
    const Json log = workflow({{"action", "log"}, {"ref", kernel}});
    CHECK(log.dump().size() < 4000);
    CHECK(log["tree"].front()["by"] == "first kernel");
    CHECK(log["tree"].back()["kernel_id"] == kernel);
    CHECK(log["left_out"] ==
          std::to_string(41 - log["tree"].size()) + " kernels; detail full shows more");
    const Json full = workflow({{"action", "log"}, {"ref", kernel}, {"detail", "full"}});
    CHECK(full["tree"].size() == 41);
    CHECK_FALSE(full.contains("left_out"));
  }

  TEST_CASE("a name that exists is not given twice, and a checkpoint never moves") {
    const std::string root = first_kernel("names");
    const std::string other =
        edited(root, Json::array({body_edit("  if (i < n) y[i] = x[i] + x[i];")}));
    const Json made = workflow({{"action", "branch"}, {"ref", root}, {"name", "names@main"}});
    CHECK(made["kernel_id"] == root);
    CHECK(made["summary"] == "branch `names@main` is at " + root);
    CHECK(refused({{"action", "branch"}, {"ref", other}, {"name", "names@main"}}) ==
          "conflict: `names@main` exists and points at " + root + "; choose another name");
    CHECK(workflow({{"action", "checkpoint"}, {"ref", root}, {"name", "names@good"}})["summary"] ==
          "checkpoint `names@good` is at " + root);
    CHECK(refused({{"action", "restore"}, {"ref", other}, {"name", "names@good"}}) ==
          "conflict: `names@good` is a checkpoint of " + root +
              " and never moves; choose another name");
    CHECK(tools().refusal("compile_kernel", {{"kernel_id", other}, {"ref", "names@good"}}) ==
          "conflict: `names@good` is a checkpoint of " + root +
              " and never moves; choose another name");
    tools().result("compile_kernel", {{"kernel_id", other}, {"ref", "names@main"}});
    const Json back =
        workflow({{"action", "restore"}, {"ref", "names@good"}, {"name", "names@main"}});
    CHECK(back["summary"] == "`names@main` is back at " + root + "; it was at " + other);
    CHECK(tools().services().archive->ref("names@main").value() == root);
    CHECK(workflow({{"action", "restore"}, {"ref", "names@good"}})["kernel_id"] == root);
    const Json all = workflow({{"action", "log"}});
    bool listed = false;
    for (const Json& row : all["refs"]) {
      listed = listed || (row["ref"] == "names@good" && row.value("checkpoint", false));
    }
    CHECK(listed);
  }

  TEST_CASE("of clients that make one name at once exactly one gets it") {
    const std::string root = first_kernel("at once");
    constexpr int kClients = 8;
    std::vector<std::string> answers(kClients);
    {
      std::vector<std::jthread> clients;
      for (std::string& answer : answers) {
        clients.emplace_back([&answer, &root] {
          const auto made = tools().call(
              "workflow", {{"action", "checkpoint"}, {"ref", root}, {"name", "once@now"}});
          answer = made ? "made" : to_text(made.error());
        });
      }
    }
    const std::string lost =
        "conflict: `once@now` exists and points at " + root + "; choose another name";
    CHECK(std::count(answers.begin(), answers.end(), "made") == 1);
    CHECK(std::count(answers.begin(), answers.end(), lost) == kClients - 1);
  }

  TEST_CASE("a comparison has lines, plan and evidence that differ") {
    const std::string a = first_kernel("compare");
    Json launches = good_kernel()["launches"];
    launches[0]["block"] = {"32"};
    launches[0]["grid"] = {"cdiv(n, 32)"};
    const std::string b = edited(a, Json::array({body_edit("  if (i < n) y[i] = 3 * x[i];")}),
                                 {{"launches", launches}});
    tools().result("validate", {{"kernel_id", a}});
    tools().result("validate", {{"kernel_id", b}});
    const Json answer = workflow({{"action", "compare"}, {"a", a}, {"b", b}});
    CHECK(answer["summary"] == b + " against " + a + ": source +1 -1 lines, 1 plan fields");
    const Json& diff = answer["diff"];
    CHECK(diff["source"]["text"].get<std::string>().find("+  if (i < n) y[i] = 3 * x[i];") !=
          std::string::npos);
    CHECK(diff["plan"]["launches"]["b"] == launches);
    CHECK(diff["evidence"]["validate"] == Json{{"a", "passed"}, {"b", "incorrect"}});
    CHECK_FALSE(diff.contains("macros"));
    CHECK(workflow({{"action", "compare"}, {"a", a}, {"b", a}})["summary"] == "both are " + a);
  }

  TEST_CASE("what cannot be is refused with the reason") {
    const std::string kernel = first_kernel("refused");
    const std::string other =
        tools().compiled(twice_problem("if (i < n) y[i] = x[i] + x[i];"), good_kernel());
    const auto archive_problem = [](const std::string& id) {
      return tools().services().archive->kernel(id)->problem_id;
    };
    CHECK(refused({{"action", "compare"}, {"a", kernel}, {"b", other}}) ==
          "invalid_argument: `a` solves " + archive_problem(kernel) + ", `b` solves " +
              archive_problem(other) + "; compare kernels of one problem");
    CHECK(refused({{"action", "log"}, {"ref", "no@where"}}) ==
          "not_found: no ref `no@where`; a ref is made by compile_kernel with `ref`");
    CHECK(refused({{"action", "export"}, {"ref", "krn_x_0123456789abcdef0123456789abcdef"}}) ==
          "not_found: no kernel `krn_x_0123456789abcdef0123456789abcdef`; ids come from "
          "compile_kernel");
    CHECK(refused({{"action", "restore"}, {"ref", kernel}, {"name", "no@where"}}) ==
          "not_found: no ref `no@where`; a ref is made by compile_kernel with `ref`");
    CHECK(refused({{"action", "branch"}, {"ref", kernel}}) ==
          "invalid_argument: `branch` needs `name`");
    CHECK(refused({{"action", "compare"}, {"a", kernel}}) ==
          "invalid_argument: `compare` needs `b`");
    CHECK(refused({{"action", "merge"}}) ==
          "invalid_argument: `action` must be one of \"log\", \"compare\", \"restore\", "
          "\"branch\", \"checkpoint\", \"export\", got a string \"merge\"");
    CHECK(refused({{"action", "branch"}, {"ref", kernel}, {"name", "Two Words"}}) ==
          "invalid_argument: `Two Words` is not a ref; write name@branch with lower-case letters, "
          "digits and _ . -");
  }

  TEST_CASE("an export has a report, and a script without what a pass adds by itself") {
    const std::string root = first_kernel("export", long_problem());
    std::string kernel =
        passed(root, 1, Json::array({body_edit("  if (i < n) y[i] = x[i] + x[i];  // ```")}));
    kernel = passed(kernel, 2, Json::array());
    const Json set = {{"params", {{"B", {64, 32}}}}};
    const Json made = tools().result("apply_transformation", {{"kernel_id", kernel},
                                                              {"transformation", "refactor"},
                                                              {"edits", Json::array()},
                                                              {"set", set}});
    REQUIRE_MESSAGE(made["applied"] == true, made.dump());
    kernel = made["kernel_id"];
    times(kernel, root);
    const Json concise = workflow({{"action", "export"}, {"ref", kernel}});
    CHECK(concise.dump().size() < 4000);
    CHECK(concise["report"].get<std::string>().starts_with("# " + kernel + "\n"));
    const Json full = workflow({{"action", "export"}, {"ref", kernel}, {"detail", "full"}});
    const std::string report = full["report"];
    CHECK(report.find("<svg xmlns=") != std::string::npos);
    CHECK(report.find("\n## 1. refactor, pass 1 of 3\n") != std::string::npos);
    CHECK(report.find("\n````diff\n") != std::string::npos);
    const Json& steps = full["script"]["steps"];
    REQUIRE(steps.size() == 3);
    CHECK(steps[0]["transformation"] == "refactor");
    CHECK_FALSE(steps[0].contains("set"));
    CHECK(steps[1]["edits"] == Json::array());
    CHECK(steps[2]["set"] == set);
    ResourceReader& resources = tools().resources();
    CHECK(resources.read("kernel://" + kernel + "/report?device=cpu:0")->text == report);
    CHECK(Json::parse(resources.read("kernel://" + kernel + "/workflow")->text) == full["script"]);
  }

  TEST_CASE("a line that is not one of edits is not exported") {
    const std::string root = first_kernel("no edit");
    Archive& archive = *tools().services().archive;
    KernelRow odd = archive.kernel(root).value();
    odd.parent = root;
    odd.id = "krn_odd_0123456789abcdef0123456789abcdef";
    REQUIRE(archive.put_kernel(odd));
    CHECK(refused({{"action", "export"}, {"ref", odd.id}}) ==
          "unsupported: krn_odd_0123456789abcdef0123456789abcdef is no edit of its parent " + root +
              "; export a kernel of the line before it");
  }
}

}  // namespace ws::test
