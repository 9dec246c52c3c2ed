// Statements that are run many times at once (for_each_run()).
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/test_place.h"

namespace ws {
namespace {

constexpr std::size_t kRuns = 300;  // More than go at once.

/// An archive's tables, and a connection to them.
struct RunsBench {
  TestPlace place;
  Connection connection;

  RunsBench()
      : connection(open(place)) {}

  static Connection open(const TestPlace& place) {
    REQUIRE(Archive::open(place.place()).has_value());
    Result<Connection> opened = place.connection();
    REQUIRE(opened);
    return *std::move(opened);
  }

  Statement statement(const char* sql) {
    Result<Statement> prepared = connection.prepare(sql);
    REQUIRE(prepared);
    return *std::move(prepared);
  }

  Status put_settings() {
    Statement insert = statement("INSERT INTO settings(key, value) VALUES(?, ?)");
    return run_all(insert, kRuns, [](Statement& row, std::size_t run) {
      row.bind("many" + std::to_string(run)).bind(std::to_string(run * run));
    });
  }
};

}  // namespace

TEST_SUITE("archive.many_runs") {
  TEST_CASE("the rows of all runs come in the order of the runs, none of one that finds nothing") {
    RunsBench bench;
    REQUIRE(bench.put_settings());
    CHECK(bench.connection.total_changes() >= static_cast<std::int64_t>(kRuns));
    Statement rows = bench.statement("SELECT value FROM settings WHERE key = ?");
    std::vector<std::string> wanted;
    std::vector<std::string> found;
    for (std::size_t run = 0; run < kRuns; run += 2) {
      wanted.push_back(std::to_string(run) + ":" + std::to_string(run * run));
    }
    REQUIRE(for_each_run(
        rows, kRuns,
        [](Statement& row, std::size_t run) {
          row.bind((run % 2 == 0 ? "many" : "none") + std::to_string(run));
        },
        [&](std::size_t run, const Statement& row) {
          found.push_back(std::to_string(run) + ":" + row.text(0));
        }));
    CHECK(found == wanted);
  }

  TEST_CASE("inserts give the numbers of their rows") {
    RunsBench bench;
    Statement insert =
        bench.statement("INSERT INTO series(name, kernel_id, value) VALUES('a', 'krn_a', ?)");
    const auto numbers = insert_all(insert, "seq", kRuns, [](Statement& row, std::size_t run) {
      row.bind_real(static_cast<double>(run));
    });
    REQUIRE(numbers);
    REQUIRE(numbers->size() == kRuns);
    Statement value = bench.statement("SELECT value FROM series WHERE seq = ?");
    REQUIRE(value.bind(numbers->back()).step());
    CHECK(value.real(0) == static_cast<double>(kRuns - 1));
  }

  TEST_CASE("a run that fails ends the others, and what is done next works again") {
    RunsBench bench;
    {
      Transaction transaction(bench.connection);
      REQUIRE(transaction.begin());
      REQUIRE(bench.put_settings());
      CHECK(!bench.put_settings());
    }
    Statement count = bench.statement("SELECT count(*) FROM settings WHERE key LIKE 'many%'");
    REQUIRE(count.step());
    CHECK(count.integer(0) == 0);
    REQUIRE(bench.put_settings());
  }

  TEST_CASE("what the body says ends the runs, and the statement can be run again") {
    RunsBench bench;
    REQUIRE(bench.put_settings());
    std::size_t seen = 0;
    const auto look = [&] {
      Statement rows = bench.statement("SELECT value FROM settings WHERE key = ?");
      return for_each_run(
          rows, kRuns,
          [](Statement& row, std::size_t run) { row.bind("many" + std::to_string(run)); },
          [&](std::size_t run, const Statement&) -> Status {
            ++seen;
            return run == 3 && seen == 4 ? Status(fail(ErrorCode::kBusy, "enough")) : Status();
          });
    };
    const Status stopped = look();
    REQUIRE(!stopped);
    CHECK(to_text(stopped.error()) == "busy: enough");
    CHECK(seen == 4);
    REQUIRE(look());
    CHECK(seen == kRuns + 4);
  }
}

}  // namespace ws
