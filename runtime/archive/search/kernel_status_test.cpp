// The conclusions from evidence, and which evidence counts in a search.
#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/verdict.h"

namespace ws::test {

TEST_SUITE("archive.kernel_status") {
  TEST_CASE("what was never judged is counted, not shown; a claim of an import is no judgement") {
    const Filled filled;
    filled.put("new", "prb_mm", "void unjudged() {}");
    REQUIRE(filled.archive().add_claim({"evd_1", "new", R"({"verdict":"passed"})"}).has_value());
    const SearchResult result = filled.find(of_words("unjudged", true));
    CHECK(result.hits.empty());
    CHECK(result.unverified == 1);
  }

  TEST_CASE("what a limit said stays until the same question has a better answer") {
    for (const Verdict verdict :
         {Verdict::kTimeout, Verdict::kResourceLimit, Verdict::kCompileError}) {
      CAPTURE(name_of(verdict));
      const Filled filled;
      judge(filled.archive(), "fast", "validate", verdict, 1, "standard");
      CHECK(filled.by_words("struct") == "");
      judge(filled.archive(), "fast", "validate", Verdict::kPassed, 1, "quick");
      CHECK(filled.by_words("struct") == "");
      judge(filled.archive(), "fast", "validate", Verdict::kPassed, 1, "standard");
      CHECK(filled.by_words("struct") == "fast");
      judge(filled.archive(), "fast", "validate", Verdict::kUnsupported, 1, "other");
      CHECK(filled.by_words("struct") == "fast");
      judge(filled.archive(), "fast", "benchmark", Verdict::kSuspect);
      CHECK(filled.by_words("struct") == "");
      CHECK(filled.by_words("struct", true) == "fast!");
    }
  }

  TEST_CASE("what was found wrong once has failed, however often it passes since") {
    for (const Verdict verdict :
         {Verdict::kIncorrect, Verdict::kOutOfBounds, Verdict::kRuntimeError}) {
      CAPTURE(name_of(verdict));
      const Filled filled;
      judge(filled.archive(), "fast", "validate", verdict, 1, "standard");
      judge(filled.archive(), "fast", "validate", Verdict::kPassed, 1, "standard");
      judge(filled.archive(), "fast", "validate", Verdict::kTimeout, 1, "thorough");
      judge(filled.archive(), "fast", "validate", Verdict::kPassed, 1, "standard");
      CHECK(filled.by_words("struct") == "");
      const SearchHit hit = filled.find(of_words("struct", true)).hits.at(0);
      CHECK(hit.kernel_id == "fast");
      CHECK(hit.verdict == verdict);
    }
  }

  TEST_CASE("an archive of the eleventh version takes back what a lucky pass had cleared") {
    Filled filled;
    judge(filled.archive(), "fast", "validate", Verdict::kIncorrect, 1, "standard");
    judge(filled.archive(), "fast", "validate", Verdict::kPassed, 1, "standard");
    filled.close();
    {
      auto file = filled.folder().connection();
      REQUIRE(file->execute("UPDATE standings SET state = 2, verdict = 'passed';"
                            "PRAGMA user_version = 11")
                  .has_value());
    }
    filled.reopen();
    CHECK(filled.by_words("struct") == "");
    CHECK(filled.archive().check()->misindexed == 0);
  }

  TEST_CASE("only another benchmark lifts a suspect one, and no ratio from before it counts") {
    const Filled filled;
    judge(filled.archive(), "fast", "benchmark", Verdict::kSuspect);
    judge(filled.archive(), "fast", "validate", Verdict::kPassed);
    judge(filled.archive(), "fast", "validate", Verdict::kPassed, 1, "strict");
    CHECK(filled.by_words("struct") == "");
    time_against(filled.archive(), "fast", 1.5, "slow");
    const SearchHit hit = filled.find(of_words("struct")).hits.at(0);
    CHECK(hit.kernel_id == "fast");
    CHECK(hit.ratio == 1.5);
    CHECK(hit.against == "slow");
  }

  TEST_CASE("what ranks is the lower end of a ratio's interval") {
    const Filled filled;
    EvidenceRow row;
    row.kernel_id = "fast";
    row.device = "cpu:0";
    row.kind = "benchmark";
    row.verdict = Verdict::kInconclusive;
    row.json = R"({"output": {"ratio": 9.5, "ratio_ci": [0.25, 90], "baseline": "reference"}})";
    REQUIRE(filled.archive().add_evidence(row).has_value());
    CHECK(filled.by_problem("prb_mm") == "slow fast near");
    CHECK(filled.find(of_words("struct")).hits.at(0).ratio == 0.25);
  }

  TEST_CASE("of the newest benchmarks of one question the least ranks, whichever came last") {
    const Filled filled;
    const auto time = [&](Verdict verdict, double low, const std::string& workloads = "[]") {
      EvidenceRow row;
      row.kernel_id = "fast";
      row.device = "cpu:0";
      row.kind = "benchmark";
      row.verdict = verdict;
      row.key = R"({"kernel_id": "fast", "workloads": )" + workloads + "}";
      row.json = R"({"output": {"ratio": 9.5, "ratio_ci": [)" + std::to_string(low) +
                 R"(, 90], "baseline": "reference"}})";
      REQUIRE(filled.archive().add_evidence(row).has_value());
      const SearchResult result = filled.find(of_words("struct"));
      return result.hits.empty() ? std::nullopt : result.hits.front().ratio;
    };
    CHECK(time(Verdict::kFaster, 7) == 7);
    CHECK(time(Verdict::kFaster, 3) == 3);
    CHECK(time(Verdict::kFaster, 8) == 3);
    CHECK(time(Verdict::kInconclusive, 2) == 2);
    CHECK(time(Verdict::kFaster, 6, R"([{"n": 4}])") == 6);
    CHECK(time(Verdict::kSuspect, 1) == std::nullopt);
    CHECK(time(Verdict::kFaster, 9) == 9);
  }

  TEST_CASE("an archive of the tenth version forgets what killed workers were blamed for") {
    Filled filled;
    const char* const said[] = {"the kernel's worker process died with signal 9",
                                "the reference went wrong: the program's process ended by signal 9",
                                "the compiler ran past its limit of 20 s of processor time"};
    for (const char* message : said) {
      EvidenceRow row;
      row.kernel_id = "fast";
      row.device = "cpu:0";
      row.kind = "validate";
      row.key = message;
      row.verdict = Verdict::kRuntimeError;
      row.json = nlohmann::json{{"output", {{"message", message}}}}.dump();
      REQUIRE(filled.archive().add_evidence(row).has_value());
    }
    CHECK(filled.by_words("struct") == "");
    filled.close();
    {
      auto file = filled.folder().connection();
      REQUIRE(file->execute("PRAGMA user_version = 10").has_value());
    }
    filled.reopen();
    CHECK(filled.by_words("struct") == "fast");
    for (const char* message : said) {
      const auto left = filled.archive().latest_evidence("fast", "cpu:0", "validate", message);
      REQUIRE(left.has_value());
      CHECK_FALSE(left->has_value());
    }
    CHECK(filled.archive().check()->misindexed == 0);
  }

  TEST_CASE("a ratio against another kernel than the reference does not rank") {
    const Filled filled;
    filled.put("relative", "prb_mm", "int relative; __global__ void other(float* x) {}");
    judge(filled.archive(), "relative", "validate", Verdict::kPassed);
    time_against(filled.archive(), "relative", 9, "slow");
    CHECK(filled.by_problem("prb_mm") == "fast slow relative near");
    CHECK(filled.find(of_words("relative")).hits.at(0).ratio == 9);
  }

  TEST_CASE("a kernel that does not compile has failed, one that compiles is not judged yet") {
    const Filled filled;
    filled.put("new", "prb_mm", "void unjudged() {}");
    judge(filled.archive(), "new", "compile", Verdict::kCompiled);
    CHECK(filled.by_words("unjudged", true) == "");
    judge(filled.archive(), "new", "compile", Verdict::kCompileError);
    CHECK(filled.by_words("unjudged", true) == "new!");
  }

  TEST_CASE("the ratio against the reference is preferred to a newer one against another kernel") {
    const Filled filled;
    time_against(filled.archive(), "slow", 9, "fast");
    CHECK(filled.find(of_words("slowpath")).hits.at(0).ratio == 0.5);
  }
}

}  // namespace ws::test
