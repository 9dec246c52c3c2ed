// Tests of moves that end, and of those that are killed and begun again.
#include "runtime/archive/move/archive_move.h"

#include <algorithm>
#include <csignal>
#include <string>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/archive/move/moved_tables.h"
#include "runtime/archive/move/test_moves.h"
#include "runtime/archive/store/series_store.h"

namespace ws::test {
namespace {

MoveReport must_move(const ArchivePlace& from, const ArchivePlace& to) {
  const Result<MoveReport> report = move_archive(from, to, {.rows_at_once = 2});
  REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
  return *report;
}

std::int64_t rows_in(const MoveReport& report) {
  std::int64_t rows = 0;
  for (const MovedRowCount& table : report.tables) {
    CHECK_MESSAGE(table.rows >= 2, table.table);  // Each is stopped in its middle below.
    rows += table.rows;
  }
  return rows;
}

/// The archive has all rows, an index that fits them, and takes new ones.
void check_moved(const ArchivePlace& place, const std::vector<std::string>& rows) {
  CHECK(rows_of(place) == rows);
  const auto archive = open_archive(place);
  const auto found = archive->check();
  REQUIRE(found.has_value());
  CHECK(found->misindexed == 0);
  SearchRequest request = of_words("krn_mm_b");
  request.device = "cpu:0";
  const auto hits = archive->search(request);
  REQUIRE(hits.has_value());
  REQUIRE(hits->hits.size() == 1);
  CHECK(hits->hits[0].kernel_id == "krn_mm_b");
  put_kernel(*archive, "krn_new", "prb_mm", kTwice);
  judge(*archive, "krn_new", "validate", Verdict::kPassed);
  CHECK(archive->put_label({"krn_new", "note", "new"}).has_value());
  const auto series = SeriesStore::open(place);
  REQUIRE(series.has_value());
  CHECK((*series)->add("s", {.kernel_id = "krn_new", .value = 2})->size() == 3);
}

/// Moves in a process of its own, which is killed once a step has come so far.
void move_until_killed(const ArchivePlace& from, const ArchivePlace& to, std::string_view step,
                       std::int64_t rows) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto end = [&](std::string_view now, std::int64_t done, std::int64_t /*all*/) {
      if (now == step && done >= rows) {
        ::kill(::getpid(), SIGKILL);
      }
    };
    const bool moved = move_archive(from, to, {.rows_at_once = 2}, end).has_value();
    ::_exit(moved ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
}

void check_goes_on(const ArchivePlace& from, const ArchivePlace& to, const std::string& from_name,
                   const std::string& to_name) {
  const auto refused = Archive::open(to);
  REQUIRE_FALSE(refused.has_value());
  CHECK(to_text(refused.error()) ==
        "conflict: the archive in `" + to_name + "` is incomplete: a move from `" + from_name +
            "` has not ended; give the same `warpsmith archive move` again, which goes on with it");
  const std::vector<std::string> rows = rows_of(from);
  must_move(from, to);
  CHECK(rows_of(from) == rows);
  CHECK(rows_of(to) == rows);
  CHECK(open_archive(to)->check()->misindexed == 0);
}

}  // namespace

TEST_SUITE("archive.move") {
  TEST_CASE("an archive goes into a database and back with all that it has") {
    if (no_database("a move there and back")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    const std::vector<std::string> rows = rows_of(places.folder());
    const MoveReport there = must_move(places.folder(), places.database());
    CHECK(there.from == places.folder().folder.string());
    CHECK(there.to == places.database_name());
    CHECK(there.added == rows_in(there));
    CHECK(rows_of(places.folder()) == rows);
    const ArchivePlace back(places.parent() / "back");
    const MoveReport returned = must_move(places.database(), back);
    CHECK(returned.added == there.added);
    CHECK(returned.evidence_sha256 == there.evidence_sha256);
    check_moved(back, rows);
    check_moved(places.database(), rows);
  }

  TEST_CASE("a move that is given again adds what the source has got since") {
    if (no_database("a move that is given again")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    must_move(places.folder(), places.database());
    CHECK(must_move(places.folder(), places.database()).added == 0);
    judge(*open_archive(places.folder()), "krn_mm_a", "benchmark", Verdict::kFaster, 2);
    CHECK(must_move(places.folder(), places.database()).added == 1);
    CHECK(rows_of(places.database()) == rows_of(places.folder()));
  }

  TEST_CASE("a move adds no label to a ref that its source has without one") {
    if (no_database("a move of a ref without a label")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    run_on(places.folder(),
           "INSERT INTO refs(name, kernel_id, updated_at) VALUES('bare@main', 'krn_mm_a', '')");
    must_move(places.folder(), places.database());
    CHECK(rows_of(places.database()) == rows_of(places.folder()));
    CHECK(must_move(places.folder(), places.database()).added == 0);
  }

  TEST_CASE("a move into a database that is killed in any table goes on") {
    if (no_database("moves into a database that are killed")) {
      return;
    }
    TwoPlaces places;
    fill_place(places.folder());
    const std::int64_t all = rows_in(must_move(places.folder(), places.database()));
    const auto kill_at = [&](const char* step, std::int64_t rows) {
      CAPTURE(rows);
      places.empty_database();
      move_until_killed(places.folder(), places.database(), step, rows);
      check_goes_on(places.folder(), places.database(), places.folder().folder.string(),
                    places.database_name());
    };
    for (std::int64_t rows = 1; rows <= all; rows += 2) {
      kill_at("copied", rows);
    }
    kill_at("checked", all);
    kill_at("indexed", 1);
  }

  TEST_CASE("a move into a folder that is killed in any table goes on") {
    if (no_database("moves into a folder that are killed")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.database());
    const std::int64_t all =
        rows_in(must_move(places.database(), ArchivePlace(places.parent() / "whole")));
    int folders = 0;
    const auto kill_at = [&](const char* step, std::int64_t rows) {
      CAPTURE(rows);
      const ArchivePlace folder(places.parent() / std::to_string(++folders));
      move_until_killed(places.database(), folder, step, rows);
      check_goes_on(places.database(), folder, places.database_name(), folder.folder.string());
    };
    for (std::int64_t rows = 1; rows <= all; ++rows) {
      kill_at("copied", rows);
    }
    kill_at("checked", all);
    kill_at("indexed", 1);
  }

  TEST_CASE("each table of an archive is moved whole, or made again") {
    const TestFolder folder;
    open_archive(folder).reset();
    Connection file = connect_to(ArchivePlace(folder.path()));
    auto columns = file.prepare(
        "SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c "
        "WHERE t.type = 'table' AND t.name NOT LIKE '%words%' AND t.name NOT LIKE 'sqlite%' AND "
        "t.name NOT IN ('problem_facts', 'indexed_kernels', 'fingerprints', 'fingerprint_bands', "
        "'standings', 'operation_sets', 'operation_bands', 'owner_bytes') ORDER BY 1");
    REQUIRE(columns.has_value());
    std::vector<std::string> moved;
    for (const store::MovedTable& table : store::moved_tables()) {
      for (const store::MovedColumn& column : table.columns) {
        if (std::string_view(column.name) != "rowid") {  // SQLite does not list it.
          moved.push_back(std::string(table.name) + "." + column.name);
        }
      }
    }
    std::sort(moved.begin(), moved.end());
    CHECK(texts(*columns) == moved);
  }
}

}  // namespace ws::test
