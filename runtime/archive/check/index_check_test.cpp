// Damage to the search index is found, named and repaired.
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::test {
namespace {

struct Case {
  const char* name;
  const char* damage;                 ///< SQL.
  const char* finding;                ///< The first one.
  const char* on_postgres = nullptr;  ///< The SQL there, where it is another.
};

// clang-format off
constexpr Case kCases[] = {
    {"words that are missing", "INSERT INTO kernel_words(kernel_words) VALUES('delete-all')",
     "slow: in the search index: its words differ", "DELETE FROM kernel_words"},
    {"words of another kernel", "INSERT INTO passed_words(rowid, words) VALUES(1, 'stray')",
     "slow: in the search index: its words differ",
     "UPDATE passed_words SET words = array_to_tsvector(array['stray']) WHERE rowid = 1"},
    {"words of no kernel", "INSERT INTO failed_words(rowid, words) VALUES(99, 'stray')",
     "number 99: in the search index: there are words of no kernel"},
    {"a kernel that is missing", "DELETE FROM indexed_kernels WHERE kernel_id = 'fast'",
     "fast: in the search index: is not there"},
    {"a state", "UPDATE indexed_kernels SET states = 1 WHERE kernel_id = 'near'",
     "near: in the search index: its fingerprint differs"},
    {"a signature", "UPDATE fingerprints SET signature = zeroblob(192) WHERE id = 1",
     "slow: in the search index: its fingerprint differs",
     "UPDATE fingerprints SET signature = decode(repeat('00', 192), 'hex') WHERE id = 1"},
    {"a band", "DELETE FROM fingerprint_bands WHERE band = (SELECT min(band) FROM fingerprint_bands WHERE fingerprint = 2) AND fingerprint = 2",
     "fingerprint 2: in the search index: its bands differ"},
    {"a status", "UPDATE standings SET ratio = 99 WHERE kernel = 2",
     "fast: in the search index: its status differs"},
    {"a status that is missing", "DELETE FROM standings WHERE kernel = 4",
     "twice: in the search index: its status differs"},
    {"a problem", "UPDATE problem_facts SET op = 'scan' WHERE problem_id = 'prb_twice'",
     "prb_twice: in the search index: its facts differ"},
};
// clang-format on

}  // namespace

TEST_SUITE("archive.index_check") {
  TEST_CASE("an index that is right is left alone") {
    const Filled filled;
    REQUIRE(filled.archive().put_label({"slow", "note", "Keeps the ring warm"}).has_value());
    REQUIRE(filled.archive().set_ref("best@main", "slow").has_value());
    REQUIRE(filled.archive().set_ref("best@main", "fast").has_value());
    judge(filled.archive(), "fast", "validate", Verdict::kIncorrect);
    const Result<ArchiveCheck> check = filled.archive().check();
    REQUIRE(check.has_value());
    CHECK(check->misindexed == 0);
  }

  TEST_CASE("each kind of damage is named, and repaired by the same check") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      const Filled filled;
      {
        auto file = filled.folder().connection();
        const bool is_other = file->is_postgres() && c.on_postgres != nullptr;
        const Status done = file->execute(is_other ? c.on_postgres : c.damage);
        REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
      }
      const Result<ArchiveCheck> check = filled.archive().check();
      REQUIRE_MESSAGE(check.has_value(), to_text(check.error()));
      CHECK(check->misindexed > 0);
      bool named = false;
      for (const std::string& finding : check->findings) {
        named = named || finding == c.finding;
      }
      CHECK_MESSAGE(named, check->findings.back());
      CHECK(filled.archive().check()->misindexed == 0);
      CHECK(filled.by_problem("prb_mm") == "fast slow near");
      CHECK(filled.by_words("slowpath") == "slow");
      CHECK(filled.by_words("stray") == "");
    }
  }
}

}  // namespace ws::test
