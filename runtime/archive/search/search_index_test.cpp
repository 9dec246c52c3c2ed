// The index stays true: of labels, over upgrades, and with several writers.
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::test {

TEST_SUITE("archive.labels") {
  TEST_CASE("kernels are found by notes, tags and the refs that point at them now") {
    const Filled filled;
    Archive& archive = filled.archive();
    REQUIRE(archive.put_label({"slow", "note", "Keeps the ring warm"}).has_value());
    REQUIRE(archive.put_label({"slow", "note", "Keeps the ring warm"}).has_value());
    REQUIRE(archive.put_label({"fast", "tag", "best-of-week"}).has_value());
    REQUIRE(archive.set_ref("champion@main", "slow").has_value());
    CHECK(filled.by_words("ring warm") == "slow");
    CHECK(filled.by_words("week best") == "fast");
    CHECK(filled.by_words("champion") == "slow");
    REQUIRE(archive.set_ref("champion@main", "fast").has_value());
    CHECK(filled.by_words("champion") == "fast");
    CHECK(archive.labels("slow", 9)->size() == 1);
    CHECK(archive.labels("fast", 9)->size() == 2);
    const Status unknown = archive.put_label({"none", "tag", "x"});
    REQUIRE_FALSE(unknown.has_value());
    CHECK(to_text(unknown.error()) == "not_found: no kernel `none`; ids come from compile_kernel");
  }
}

TEST_SUITE("archive.index") {
  // To before the operations of lifted kernels, and to before jobs had leases.
  const std::string kNoOperations =
      "DROP INDEX indexed_kernels_by_operations; "
      "ALTER TABLE indexed_kernels DROP COLUMN operation_set; "
      "DROP TABLE lifted_kernels; DROP TABLE operation_sets; DROP TABLE operation_bands; ";
  const std::string kNoLeases =
      kNoOperations +
      "ALTER TABLE jobs DROP COLUMN instance; ALTER TABLE jobs DROP COLUMN arguments; "
      "ALTER TABLE jobs DROP COLUMN resumed; "
      "DROP INDEX problems_by_hash; DROP INDEX kernels_by_hash; ";

  TEST_CASE("an archive of the first version is indexed when it is opened") {
    Filled filled;
    REQUIRE(filled.archive().set_ref("champion@main", "slow").has_value());
    filled.close();
    {
      auto file = filled.folder().connection();
      REQUIRE(file->execute(kNoLeases).has_value());
      for (const char* table :
           {"indexed_kernels", "problem_facts", "fingerprints", "claims", "fingerprint_bands",
            "kernel_words", "passed_words", "failed_words", "standings", "labels", "pass_tries"}) {
        REQUIRE(file->execute("DROP TABLE " + std::string(table)).has_value());
      }
      REQUIRE(file->execute("DROP INDEX refs_by_kernel; ALTER TABLE refs DROP COLUMN fixed")
                  .has_value());
      REQUIRE(file->execute("PRAGMA user_version = 1").has_value());
    }
    filled.reopen();
    CHECK(filled.by_problem("prb_mm") == "fast slow near");
    CHECK(filled.by_words("slowpath") == "slow");
    CHECK(filled.by_words("champion") == "slow");
    CHECK(filled.by_problem("prb_twice", true) == "twice!");
  }

  TEST_CASE("an archive of the third version is brought up to date when it is opened") {
    Filled filled;
    REQUIRE(filled.archive().put_label({"slow", "tag", "week.best"}).has_value());
    filled.close();
    {
      auto file = filled.folder().connection();
      const Status done = file->execute(
          kNoLeases +
          "DROP TABLE passed_words; DROP TABLE failed_words; DROP INDEX labels_by_text; "
          "DROP INDEX refs_by_kernel; ALTER TABLE refs DROP COLUMN fixed; "
          "ALTER TABLE labels DROP COLUMN imported; DROP INDEX standings_by_speed_up; "
          "CREATE INDEX standings_by_problem ON standings(problem, state, device, ratio); "
          "CREATE VIRTUAL TABLE label_words USING fts5(words, content='', detail=none); "
          "PRAGMA user_version = 3");
      REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
    }
    filled.reopen();
    CHECK(filled.by_problem("prb_mm") == "fast slow near");
    CHECK(filled.by_words("week") == "slow");
    CHECK_FALSE(filled.archive().labels("slow", 9)->front().imported);
    CHECK(filled.archive().check()->misindexed == 0);
  }

  TEST_CASE("two archives that store the same kernels at once index each of them once") {
    const TestPlace folder;
    const auto first = open_archive(folder);
    const auto second = open_archive(folder);
    put_problem(*first, "prb_mm", "matmul", 8);
    std::vector<std::thread> threads;
    for (Archive* archive : {first.get(), second.get(), first.get()}) {
      threads.emplace_back([archive] {
        for (int i = 0; i < 30; ++i) {
          const std::string id = "k" + std::to_string(i);
          CHECK(archive->put_kernel({id, "k", "prb_mm", "", R"({"source":"void sameWord();"})", ""})
                    .has_value());
          EvidenceRow row;
          row.kernel_id = id;
          row.device = "cpu:0";
          row.kind = "validate";
          row.verdict = Verdict::kPassed;
          row.json = "{}";
          CHECK(archive->add_evidence(row).has_value());
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    auto file = folder.connection();
    const auto count = [&](const char* table) {
      auto row = file->prepare("SELECT count(*) FROM " + std::string(table));
      REQUIRE(row->step().has_value());
      return row->integer(0);
    };
    CHECK(count("indexed_kernels") == 30);
    CHECK(count("standings") == 30);
    CHECK(count("fingerprints") == 1);
    const Result<SearchResult> found = second->search(of_words("sameword"));
    REQUIRE(found.has_value());
    REQUIRE(found->hits.size() == 1);
    CHECK(found->hits[0].duplicates == 29);
  }
}

}  // namespace ws::test
