// Tests that long work is done in pieces, and that others write in between.
#include <atomic>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/check/row_check.h"
#include "runtime/archive/search/index_rebuild.h"
#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::test {
namespace {

Connection connect(const Filled& filled) {
  Result<Connection> file = filled.folder().connection();
  REQUIRE_MESSAGE(file.has_value(), to_text(file.error()));
  return *std::move(file);
}

/// One piece in a transaction of its own.
bool step(Connection& connection, store::IndexRebuild& rebuild) {
  Transaction transaction(connection);
  REQUIRE(transaction.begin().has_value());
  const Result<bool> more = rebuild.step(connection);
  REQUIRE_MESSAGE(more.has_value(), to_text(more.error()));
  REQUIRE(transaction.commit().has_value());
  return *more;
}

void damage(const Filled& filled) {
  Connection file = connect(filled);
  REQUIRE(file.execute("DELETE FROM fingerprint_bands").has_value());
}

}  // namespace

TEST_SUITE("archive.pieces") {
  TEST_CASE("an index is rebuilt while others store, judge and name kernels") {
    const Filled filled;
    filled.put("old", "prb_mm", std::string(kTiled) + "void f() { oldWord(); }");
    damage(filled);
    Connection file = connect(filled);
    store::IndexRebuild rebuild(1);
    int pieces = 0;
    while (step(file, rebuild)) {
      const std::string id = "new" + std::to_string(++pieces);
      filled.put(id, "prb_mm", std::string(kTwice) + "void freshWord();");
      judge(filled.archive(), id, "validate", Verdict::kPassed);
      judge(filled.archive(), "old", "validate",
            pieces % 2 == 0 ? Verdict::kPassed : Verdict::kTimeout);
      REQUIRE(filled.archive()
                  .put_label({"near", "note", "round" + std::to_string(pieces)})
                  .has_value());
      REQUIRE(filled.archive().set_ref("best@main", pieces % 2 == 0 ? "fast" : id).has_value());
    }
    CHECK(pieces > 8);
    const Result<ArchiveCheck> check = filled.archive().check();
    REQUIRE_MESSAGE(check.has_value(), to_text(check.error()));
    CHECK(check->misindexed == 0);
    CHECK(filled.by_words("slowpath") == "slow");
    CHECK(filled.by_words("oldword", true) == (pieces % 2 == 0 ? "old" : "old!"));
    CHECK(filled.by_words("round3") == "near");
    CHECK(filled.find(of_words("freshword")).hits[0].kernel_id == "new" + std::to_string(pieces));
  }

  TEST_CASE("a piece ends where its kernels are long") {
    const Filled filled;
    const std::string comment = "/*" + std::string(std::size_t{3} << 20U, 'x') + "*/";
    for (int i = 0; i < 5; ++i) {
      filled.put("long" + std::to_string(i), "prb_mm", kTiled + comment);
    }
    damage(filled);
    Connection file = connect(filled);
    store::IndexRebuild rebuild;
    int pieces = 1;
    while (step(file, rebuild)) {
      ++pieces;
    }
    CHECK(pieces == 4);  // Problems, emptying, and two of kernels: three long ones in the first.
    CHECK(filled.archive().check()->misindexed == 0);
  }

  TEST_CASE("a rebuild that was stopped is found, and finished by the next check") {
    const Filled filled;
    damage(filled);
    Connection file = connect(filled);
    store::IndexRebuild rebuild(2);
    for (int piece = 0; piece < 4; ++piece) {
      CHECK(step(file, rebuild));
    }
    const Result<ArchiveCheck> check = filled.archive().check();
    REQUIRE_MESSAGE(check.has_value(), to_text(check.error()));
    REQUIRE(check->misindexed == 2);
    CHECK(check->findings.back() == "twice: in the search index: is not there");
    CHECK(filled.archive().check()->misindexed == 0);
    CHECK(filled.by_problem("prb_mm") == "fast slow near");
  }

  TEST_CASE("rows are read while others write and empty the log; what comes then does not count") {
    const Filled filled;
    Connection reader = connect(filled);
    Connection writer = connect(filled);
    store::RowCheck rows(1);
    int pieces = 0;
    for (bool more = true; more;) {
      const Result<bool> read = rows.step(reader);
      REQUIRE_MESSAGE(read.has_value(), to_text(read.error()));
      more = *read;
      filled.put("new" + std::to_string(++pieces), "prb_mm", kTiled);
      if (!writer.is_postgres()) {
        auto emptied = writer.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
        REQUIRE(emptied->step() == true);
        CHECK(emptied->integer(0) == 0);
      }
    }
    CHECK(pieces > 10);
    CHECK(rows.found().problems == 3);
    CHECK(rows.found().kernels == 4);
    CHECK(rows.found().evidence == 6);
  }

  TEST_CASE("a writer that never pauses loses nothing to a check that repairs") {
    const Filled filled;
    damage(filled);
    std::atomic<bool> done = false;
    std::atomic<int> stored = 0;
    std::thread writer([&] {
      while (!done) {
        const std::string id = "new" + std::to_string(++stored);
        filled.put(id, "prb_mm", kTiled);
        judge(filled.archive(), id, "validate", Verdict::kPassed);
      }
    });
    while (stored < 3) {
      std::this_thread::yield();
    }
    const Result<ArchiveCheck> check = filled.archive().check();
    done = true;
    writer.join();
    REQUIRE_MESSAGE(check.has_value(), to_text(check.error()));
    CHECK(check->misindexed > 0);
    CHECK(filled.archive().check()->misindexed == 0);
    CHECK(filled.archive().check()->kernels == 4 + static_cast<std::uint64_t>(stored));
  }
}

}  // namespace ws::test
