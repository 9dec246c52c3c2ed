// Verdicts that other versions wrote into an archive.
#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::test {
namespace {

/// Gives every stored verdict of `table` that is `known` a name that this version does not know.
void rename_verdicts(const TestPlace& folder, const std::string& table, Verdict known) {
  auto file = folder.connection();
  REQUIRE(file->execute("UPDATE " + table + " SET verdict = 'nondeterministic' WHERE verdict = '" +
                        std::string(name_of(known)) + "'")
              .has_value());
}

}  // namespace

TEST_SUITE("archive.unknown_verdict") {
  TEST_CASE("evidence with an unknown verdict is suspect, and the kernel has failed for good") {
    Filled filled;
    judge(filled.archive(), "fast", "validate", Verdict::kIncorrect, 1, "standard");
    filled.close();
    rename_verdicts(filled.folder(), "evidence", Verdict::kIncorrect);
    rename_verdicts(filled.folder(), "standings", Verdict::kIncorrect);
    filled.reopen();
    for (const bool passed_since : {false, true}) {
      CAPTURE(passed_since);
      if (passed_since) {
        judge(filled.archive(), "fast", "validate", Verdict::kPassed, 1, "standard");
      }
      CHECK(filled.by_words("struct") == "");
      const SearchHit hit = filled.find(of_words("struct", true)).hits.at(0);
      CHECK(hit.kernel_id == "fast");
      CHECK_FALSE(hit.passed);
      CHECK(hit.verdict == Verdict::kSuspect);
      CHECK(filled.archive().evidence(hit.evidence_id)->verdict == Verdict::kSuspect);
    }
    CHECK(filled.archive().check()->misindexed == 0);
  }

  TEST_CASE("a try with an unknown verdict is no pass") {
    Filled filled;
    REQUIRE(filled.archive().add_pass_try({.transformation = "t",
                                           .pass = 1,
                                           .passes = 2,
                                           .base_id = "slow",
                                           .kernel_id = "fast",
                                           .verdict = Verdict::kPassed,
                                           .reason = "why"}));
    REQUIRE(filled.archive().pass_history("fast")->size() == 1);
    filled.close();
    rename_verdicts(filled.folder(), "pass_tries", Verdict::kPassed);
    filled.reopen();
    CHECK(filled.archive().pass_history("fast")->empty());
    const auto statistics = filled.archive().pass_statistics("t");
    REQUIRE(statistics->size() == 1);
    CHECK((*statistics)[0].verdict == Verdict::kSuspect);
    const auto lines = LineStore::open(filled.folder().place());
    CHECK((*lines)->failed_passes("slow")->at(0).verdict == Verdict::kSuspect);
    CHECK((*lines)->failure_of("fast")->value().verdict == Verdict::kSuspect);
  }
}

}  // namespace ws::test
