// The tables of both engines.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/test_folder.h"
#include "tests/support/postgres_cluster.h"

namespace ws {
namespace {

std::set<std::string> columns_of(Connection& connection, const char* sql) {
  auto rows = connection.prepare(sql);
  REQUIRE_MESSAGE(rows.has_value(), to_text(rows.error()));
  const auto columns = texts(*rows);
  REQUIRE_MESSAGE(columns.has_value(), to_text(columns.error()));
  return {columns->begin(), columns->end()};
}

}  // namespace

TEST_SUITE("archive.postgres.schema") {
  TEST_CASE("a table or column that one engine has the other one has too") {
    if (!test::has_postgres()) {
      MESSAGE("left out, as there is no PostgreSQL here: the tables of both engines");
      return;
    }
    const TestFolder folder;
    const std::string url = test::take_database();
    {
      REQUIRE(Archive::open(folder.path()).has_value());
      REQUIRE(Archive::open(ArchivePlace(folder.path(), url)).has_value());
      auto file = Connection::open((folder.path() / "archive.db").string(), true);
      auto database = open_postgres(url);
      REQUIRE(database.has_value());
      // Each has its own tables of words; leases and the version are a file's in SQLite, and what
      // machines share, nodes and compiled kernels, is in no file.
      const std::set<std::string> here = columns_of(
          *file,
          "SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c "
          "WHERE t.type = 'table' AND t.name NOT LIKE '%words%' AND t.name NOT LIKE 'sqlite%'");
      const std::set<std::string> there = columns_of(
          *database,
          "SELECT table_name || '.' || column_name FROM information_schema.columns "
          "WHERE table_schema = 'warpsmith' AND table_name NOT LIKE '%words' AND "
          "table_name NOT IN ('instances', 'archive_version', 'nodes', 'shared_entries') AND "
          "table_name NOT LIKE 'node^_%' ESCAPE '^' AND column_name <> 'rowid'");
      CHECK(here.contains("kernels.json"));
      CHECK(here == there);
    }
    test::leave_database(url);
  }

  TEST_CASE("a zero byte in one text of a form hides no other one") {
    if (!test::has_postgres()) {
      MESSAGE("left out, as there is no PostgreSQL here: zero bytes in forms");
      return;
    }
    const TestFolder folder;
    const std::string url = test::take_database();
    {
      REQUIRE(Archive::open(ArchivePlace(folder.path(), url)).has_value());
      auto database = open_postgres(url);
      REQUIRE(database.has_value());
      constexpr const char* kForm = R"('{"note":"a\u0000b","names":["krn_a","c\u0000"],)"
                                    R"("output":{"baseline":"krn_b"}}')";
      CHECK(columns_of(
                *database,
                (std::string("SELECT json_extract(") + kForm + ", '$.output.baseline')").c_str()) ==
            std::set<std::string>{"krn_b"});
      CHECK(columns_of(
                *database,
                (std::string("SELECT value FROM json_each(") + kForm + ", '$.names')").c_str()) ==
            std::set<std::string>{"krn_a", "c "});
    }
    test::leave_database(url);
  }
}

}  // namespace ws
