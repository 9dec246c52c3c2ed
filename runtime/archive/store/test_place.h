// A place for an archive of one test, removed at the end: a folder. Where the environment says
// WARPSMITH_TEST_STORE=postgres, a database too, in which the archive is:
// tests/store_suites_test.cpp runs the suites of the archive once more like that.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/archive/store/archive_place.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/test_folder.h"
#include "tests/support/postgres_cluster.h"

namespace ws {

/// Whether archives of TestPlace are in a database.
inline bool tests_on_postgres() {
  const char* const store = std::getenv("WARPSMITH_TEST_STORE");
  return store != nullptr && std::string_view(store) == "postgres";
}

class TestPlace {
 public:
  TestPlace()
      : place_(folder_.path(), tests_on_postgres() ? test::take_database() : std::string()) {}

  TestPlace(const TestPlace&) = delete;
  TestPlace& operator=(const TestPlace&) = delete;

  ~TestPlace() {
    if (!place_.store.empty()) {
      test::leave_database(place_.store);
    }
  }

  [[nodiscard]] const ArchivePlace& place() const { return place_; }

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

  /// A connection of its own to the archive, past all its rules.
  [[nodiscard]] Result<Connection> connection() const {
    return place_.store.empty() ? Connection::open((path() / "archive.db").string(), false)
                                : open_postgres(place_.store);
  }

 private:
  TestFolder folder_;
  ArchivePlace place_;
};

}  // namespace ws
