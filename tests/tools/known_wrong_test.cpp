// Only one kind of kernel may be timed: a kernel that passed with these parameters, and was never
// found wrong.
#include <memory>

#include <doctest/doctest.h>

#include "runtime/base/viewer.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Right with F = 1 only.
Json kernel_with_choice() {
  Json kernel = twice_kernel("  if (i < n) y[i] = @F@ * 2 * x[i];");
  kernel["params"] = {{"F", {0, 1}}};
  kernel["defaults"] = {{"F", 0}};
  return kernel;
}

/// A stored validation of a kernel with another verdict: as if luck had been different.
/// @param from  Where the validation is; null: there, too.
void add_wrong(ToolBench& bench, const std::string& evidence_id, ToolBench* from = nullptr) {
  Archive& archive = *bench.services().archive;
  Result<EvidenceRow> row =
      (from == nullptr ? archive : *from->services().archive).evidence(evidence_id);
  REQUIRE(row.has_value());
  Json record = Json::parse(row->json);
  row->verdict = Verdict::kIncorrect;
  record["output"]["verdict"] = name_of(row->verdict);
  record["output"]["message"] = "1 of 1000 elements differ";
  row->json = record.dump();
  row->id.clear();
  REQUIRE(archive.add_evidence(*row).has_value());
}

std::string newest(ToolBench& bench, const std::string& kernel) {
  return bench.services().archive->latest_evidence(kernel, {}, "validate").value()->id;
}

}  // namespace

TEST_SUITE("tools.known_wrong") {
  TEST_CASE("a repetition is answered, and is evidence of nothing") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    const Json lucky = bench.result("validate", {{"kernel_id", kernel}});
    add_wrong(bench, lucky["evidence_id"]);
    const std::string wrong = newest(bench, kernel);
    const Json again =
        bench.result("validate", {{"kernel_id", kernel}, {"repeat", lucky["evidence_id"]}});
    CHECK(again["verdict"] == "passed");
    CHECK(again["repeated"] == true);
    CHECK(again["evidence_id"] == lucky["evidence_id"]);
    CHECK(newest(bench, kernel) == wrong);
    CHECK(bench.result("validate", {{"kernel_id", kernel}})["evidence_id"] == wrong);
  }

  TEST_CASE("a kernel that was wrong once is not timed, however often it passed since") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    const Json first = bench.result("validate", {{"kernel_id", kernel}, {"level", "standard"}});
    add_wrong(bench, first["evidence_id"]);
    const std::string wrong = newest(bench, kernel);
    CHECK(first["passes"] == 1);
    CHECK_FALSE(first.contains("flaky"));
    int passes = 1;
    for (const char* level : {"standard", "quick"}) {
      const Json passed =
          bench.result("validate", {{"kernel_id", kernel}, {"level", level}, {"fresh", true}});
      CHECK(passed["verdict"] == "passed");
      CHECK(passed["passes"] == ++passes);
      CHECK(passed["flaky"] ==
            Json{{"verdict", "incorrect"}, {"evidence_id", wrong}, {"kernel_id", kernel}});
      CHECK(passed["summary"].get<std::string>().ends_with(
          "; but flaky: " + wrong + " found " + kernel +
          " incorrect, which stands, so it is not timed: change the kernel"));
      const Json& again = passed["next_steps"][0];
      CHECK(again["tool"] == "validate");
      CHECK(again["arguments"]["repeat"] == wrong);
      CHECK(bench.result("validate", again["arguments"])["repeated"] == true);
    }
    const Json refused = bench.result("benchmark", {{"kernel_id", kernel}});
    CHECK(refused["verdict"] == "invalid");
    CHECK(
        refused["summary"] ==
        kernel + " is not timed: incorrect: 1 of 1000 elements differ; " +
            refused["validation"]["evidence_id"].get<std::string>() +
            " found that, and it stands whatever later validations say: a changed text is another "
            "kernel");
    CHECK(refused["validation"]["evidence_id"] == wrong);
    const Json& step = refused["next_steps"][0];
    CHECK(step["tool"] == "validate");
    CHECK(step["arguments"]["repeat"] == wrong);
    CHECK(step["arguments"]["level"] == "standard");
  }

  TEST_CASE("a race that was found stands, though no order shows it and quick validations pass") {
    ToolBench bench;
    const std::string kernel = bench.compiled(
        twice_problem(),
        twice_kernel("  __shared__ int s[64];\n  s[threadIdx.x] = i < n ? x[i] : 0;\n"
                     "  int other = s[(threadIdx.x + 1) % 64];\n"
                     "  if (i < n) y[i] = 2 * x[i] + (other == 1234567891 ? 1 : 0);"));
    const Json found = bench.result("validate", {{"kernel_id", kernel}, {"level", "standard"}});
    REQUIRE(found["verdict"] == "data_race");
    CHECK(bench.result("validate", {{"kernel_id", kernel}, {"fresh", true}})["verdict"] ==
          "passed");
    const Json refused = bench.result("benchmark", {{"kernel_id", kernel}});
    CHECK(refused["verdict"] == "invalid");
    CHECK(
        refused["summary"] ==
        kernel + " is not timed: data_race: " + found["message"].get<std::string>() + "; " +
            found["evidence_id"].get<std::string>() +
            " found that, and it stands whatever later validations say: a changed text is another "
            "kernel");
    const Json evaluated = bench.result("evaluate", {{"kernel_id", kernel}, {"level", "quick"}});
    CHECK(evaluated["verdict"] == "invalid");
    CHECK(evaluated["reward"] == 0);
  }

  TEST_CASE("what was found wrong before notes were taken counts for other spellings, too") {
    ToolBench bench;
    ToolBench other;  // A validation here would take notes.
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    REQUIRE(other.compiled(twice_problem(), good_kernel()) == kernel);
    add_wrong(bench, other.result("validate", {{"kernel_id", kernel}})["evidence_id"], &other);
    const std::string wrong = newest(bench, kernel);
    Json spelled = good_kernel();
    spelled["source"] = "// The same.\n" + spelled["source"].get<std::string>();
    const std::string twin = bench.compiled(twice_problem(), spelled);
    const Json refused = bench.result("benchmark", {{"kernel_id", twin}});
    CHECK(refused["verdict"] == "invalid");
    CHECK(refused["summary"] ==
          twin + " is not timed: incorrect: 1 of 1000 elements differ; " + wrong +
              " found that of " + kernel +
              ", which differs in comments and white space only: a changed program is another "
              "kernel");
  }

  TEST_CASE("what was found of a kernel that is hidden says nothing of another spelling") {
    const auto viewer = [](const char* name, bool shares) {
      return std::make_shared<const Viewer>(
          Viewer{.owner = name, .sees_all = false, .shares = shares});
    };
    // The operator finds Alice's kernel wrong; then Bob has another spelling of it timed.
    const auto timed = [&](bool alice_shares, bool bob_shares) {
      ToolBench bench;
      ToolBench other;
      const std::string first = other.compiled(twice_problem(), good_kernel());
      {
        const ViewerScope alice(viewer("alice", alice_shares));
        REQUIRE(bench.compiled(twice_problem(), good_kernel()) == first);
      }
      add_wrong(bench, other.result("validate", {{"kernel_id", first}})["evidence_id"], &other);
      Json spelled = good_kernel();
      spelled["source"] = "// The same.\n" + spelled["source"].get<std::string>();
      const ViewerScope bob(viewer("bob", bob_shares));
      const std::string twin = bench.compiled(twice_problem(), spelled);
      return bench.result("benchmark", {{"kernel_id", twin}, {"time_budget_ms", 50}})["verdict"];
    };
    CHECK(timed(/*alice_shares=*/true, /*bob_shares=*/false) == "invalid");
    CHECK(timed(/*alice_shares=*/false, /*bob_shares=*/false) != "invalid");
    CHECK(timed(/*alice_shares=*/false, /*bob_shares=*/true) != "invalid");
  }

  TEST_CASE("a pass with other parameters is no pass, and neither is a wrong answer with them") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), kernel_with_choice());
    const Json one = {{"F", 1}};
    CHECK(bench.result("validate", {{"kernel_id", kernel}, {"params", one}})["verdict"] ==
          "passed");
    const Json defaults = bench.result("benchmark", {{"kernel_id", kernel}, {"baseline", "none"}});
    CHECK(defaults["verdict"] == "invalid");
    const Json timed = bench.result(
        "benchmark",
        {{"kernel_id", kernel}, {"params", one}, {"baseline", "none"}, {"time_budget_ms", 50}});
    CHECK(timed["verdict"] != "invalid");
  }

  TEST_CASE("a pass at any level is a pass: the kernel is not validated again to be timed") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    const Json strict = bench.result("validate", {{"kernel_id", kernel}, {"level", "strict"}});
    CHECK(strict["verdict"] == "passed");
    CHECK(bench.result("benchmark", {{"kernel_id", kernel}})["verdict"] != "invalid");
    CHECK(newest(bench, kernel) == strict["evidence_id"].get<std::string>());
  }

  TEST_CASE("a pass on one size of the caller's choice is no pass") {
    ToolBench bench;
    const std::string kernel =
        bench.compiled(twice_problem(), twice_kernel("  if (i < 64) y[i] = 2 * x[i];"));
    CHECK(bench.result("validate", {{"kernel_id", kernel},
                                    {"workloads", {{{"n", 64}}}}})["verdict"] == "passed");
    CHECK(bench.result("benchmark", {{"kernel_id", kernel}})["verdict"] == "invalid");
  }

  TEST_CASE("a wrong answer of a random point counts for that point") {
    ToolBench bench;
    Json kernel = kernel_with_choice();
    kernel["defaults"] = {{"F", 1}};
    const std::string id = bench.compiled(twice_problem(), kernel);
    const Json all = bench.result("validate", {{"kernel_id", id}, {"param_samples", 1}});
    CHECK(all["verdict"] == "incorrect");
    CHECK(all["runs"].back()["params"] == Json{{"F", 0}});
    const Json timed = bench.result(
        "benchmark", {{"kernel_id", id}, {"baseline", "none"}, {"time_budget_ms", 50}});
    CHECK(timed["verdict"] != "invalid");
    const Json refused = bench.result(
        "benchmark", {{"kernel_id", id}, {"params", {{"F", 0}}}, {"baseline", "none"}});
    CHECK(refused["validation"]["evidence_id"] == all["evidence_id"]);
  }

  TEST_CASE("tune leaves out a point that is known to be wrong") {
    ToolBench bench;
    Json kernel = twice_kernel("  if (i < n) y[i] = 2 * x[i] + 0 * @F@;");
    kernel["params"] = {{"F", {0, 1}}};
    kernel["defaults"] = {{"F", 0}};
    const std::string id = bench.compiled(twice_problem(), kernel);
    for (const int f : {0, 1}) {
      const Json checked = bench.result(
          "validate", {{"kernel_id", id}, {"params", {{"F", f}}}, {"workloads", {{{"n", 64}}}}});
      add_wrong(bench, checked["evidence_id"]);
    }
    const Json tuned = bench.result("tune", {{"kernel_id", id}, {"budget_s", 2}});
    CHECK(tuned["verdict"] == "none");
    CHECK(tuned["failed"] == 2);
    CHECK(tuned["failures"][0]["verdict"] == "incorrect");
  }
}

}  // namespace ws::test
