// Names of problems and kernels as tools take and give them.
#include <sstream>

#include <doctest/doctest.h>

#include "runtime/archive/transfer/transfer.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/ids.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// The good kernel as an archive of an older version has it: both ids with 16 digits.
struct OlderRows {
  explicit OlderRows(Archive& archive) {
    Result<Problem> parsed = problem_from_json(twice_problem());
    REQUIRE(parsed.has_value());
    Problem own = *std::move(parsed);
    own.id = problem = older_id(own.id);
    const Result<Kernel> made = kernel_from_json(good_kernel(), own);
    REQUIRE(made.has_value());
    kernel = older_id(made->id);
    REQUIRE(archive.put_problem({problem, own.name, own.json, {}}).has_value());
    REQUIRE(archive.put_kernel({kernel, made->name, problem, {}, made->json, {}}).has_value());
  }

  std::string problem;
  std::string kernel;
};

}  // namespace

TEST_SUITE("tools.names") {
  TEST_CASE("a kernel whose id another text has here is refused, and nothing is answered for it") {
    ToolBench bench;
    Archive& archive = *bench.services().archive;
    const Result<Problem> problem = problem_from_json(twice_problem());
    const Result<Kernel> wrong = kernel_from_json(twice_kernel("  y[0] = 0;"), *problem);
    const Result<Kernel> right = kernel_from_json(good_kernel(), *problem);
    REQUIRE(archive.put_problem({problem->id, "twice", problem->json, {}}).has_value());
    REQUIRE(archive.put_kernel({wrong->id, "k", problem->id, {}, right->json, {}}).has_value());
    const Json sent = {{"problem", twice_problem()}, {"kernel", twice_kernel("  y[0] = 0;")}};
    const std::string message = "conflict: " + wrong->id +
                                " is the id of different content here; nothing was changed; change "
                                "the text, even if only a comment, and send it again; `warpsmith "
                                "archive verify` says whether the stored row is damaged";
    CHECK(bench.refusal("compile_kernel", sent) == message);
    CHECK(bench.refusal("evaluate", sent) == message);
    Json again = sent;
    again["fresh"] = true;
    CHECK(bench.refusal("evaluate", again) == message);
  }

  TEST_CASE("a tool takes the beginning of an id and answers with the whole id") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    const std::string digits = kernel.substr(kernel.size() - 32);
    CHECK(bench.result("validate", {{"kernel_id", "krn_" + digits.substr(0, 8)}})["kernel_id"] ==
          kernel);
    CHECK(bench.result("compile_kernel", {{"kernel_id", "krn_k"}})["kernel_id"] == kernel);
    const Json again =
        bench.result("compile_kernel", {{"problem_id", "prb_twice"}, {"kernel", good_kernel()}});
    CHECK(again["kernel_id"] == kernel);
    const std::string problem = again["problem_id"];
    CHECK(problem.size() == std::string("prb_twice_").size() + 32);
    CHECK(bench.refusal("validate", {{"kernel_id", problem}}) ==
          "invalid_argument: `" + problem +
              "` names a problem, not a kernel; the id of a kernel begins with krn_");
  }

  TEST_CASE("content that an older version stored keeps its ids, evidence and line") {
    ToolBench bench;
    Archive& archive = *bench.services().archive;
    const OlderRows older(archive);
    const Json checked = bench.result("validate", {{"kernel_id", older.kernel}});
    REQUIRE(checked["verdict"] == "passed");
    CHECK(checked["kernel_id"] == older.kernel);

    const Json sent =
        bench.result("compile_kernel", {{"problem", twice_problem()}, {"kernel", good_kernel()}});
    CHECK(sent["kernel_id"] == older.kernel);
    CHECK(sent["problem_id"] == older.problem);
    const Json known = bench.result("validate", {{"kernel_id", sent["kernel_id"]}});
    CHECK(known["evidence_id"] == checked["evidence_id"]);

    const Json edit = {{"op", "insert"}, {"from", 1}, {"text", "// Doubles."}};
    const Json made =
        bench.result("compile_kernel", {{"base", older.kernel}, {"edits", Json::array({edit})}});
    CHECK(made["parent"] == older.kernel);
    CHECK(made["kernel_id"].get<std::string>().size() == older.kernel.size() + 16);
    const Json same = bench.result("compile_kernel",
                                   {{"base", older.kernel}, {"set", {{"options", Json::array()}}}});
    CHECK(same["problem_id"] == older.problem);

    const auto check = archive.check();
    REQUIRE(check.has_value());
    CHECK(check->damaged == 0);
  }

  TEST_CASE("lines of an older version are imported under their ids") {
    ToolBench bench;
    const OlderRows older(*bench.services().archive);
    std::stringstream lines;
    REQUIRE(bench.services()
                .archive
                ->export_lines([&](std::string_view line) -> Status {
                  lines << line << "\n";
                  return {};
                })
                .has_value());
    ToolBench other;
    const auto report = import_lines(*other.services().archive, lines, {});
    REQUIRE(report.has_value());
    CHECK(report->added == 2);
    CHECK(report->refused == 0);
    CHECK(other.services().archive->kernel(older.kernel)->problem_id == older.problem);
    CHECK(other.services().archive->check()->damaged == 0);
  }
}

}  // namespace ws::test
