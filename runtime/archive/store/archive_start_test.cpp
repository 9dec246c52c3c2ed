// Tests of an archive that lost its content, which is not taken for a new one.
#include <string>

#include <doctest/doctest.h>
#include <sys/file.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/archive_lock.h"
#include "runtime/base/files.h"

namespace ws::test {
namespace {

std::string open_error(const std::filesystem::path& folder) {
  const auto archive = Archive::open(folder);
  return archive ? "" : to_text(archive.error());
}

constexpr const char* kBackup = "restore a backup by `warpsmith archive restore FILE`, or delete ";

}  // namespace

TEST_SUITE("archive.start") {
  TEST_CASE("an archive that became empty is refused, until its file is deleted") {
    const TestFolder folder;
    const auto file = folder.path() / "archive.db";
    open_archive(folder).reset();
    REQUIRE(write_file(file, "").has_value());
    const std::string refused = "io: the archive `" + file.string() +
                                "` is empty, but it was not before; nothing was changed; " +
                                kBackup + "the empty file to start a new archive";
    CHECK(open_error(folder.path()) == refused);
    CHECK(open_error(folder.path()) == refused);
    CHECK(std::filesystem::file_size(file) == 0);
    std::filesystem::remove(file);
    CHECK(open_error(folder.path()) == "");
    CHECK(open_error(folder.path()) == "");
  }

  TEST_CASE("an empty file that never had content is a new archive") {
    const TestFolder folder;
    REQUIRE(write_file(folder.path() / "archive.db", "").has_value());
    CHECK(open_error(folder.path()) == "");
  }

  TEST_CASE("an empty or missing file beside a log with data is refused, and the log stays") {
    const TestFolder live;
    const TestFolder folder;
    const auto file = folder.path() / "archive.db";
    const std::string log = file.string() + "-wal";
    const auto archive = open_archive(live);
    put_problem(*archive, "prb", "scan", 8);
    std::filesystem::copy_file(live.path() / "archive.db-wal", log);
    for (const bool empty : {false, true}) {
      if (empty) {
        REQUIRE(write_file(file, "").has_value());
      }
      CHECK(open_error(folder.path()) ==
            "io: the archive `" + file.string() +
                "` is empty or missing, but its write-ahead log `" + log +
                "` is not; nothing was changed; put back the file that belongs to the log, " +
                kBackup + "both to start a new archive");
      CHECK(std::filesystem::file_size(log) ==
            std::filesystem::file_size(live.path() / "archive.db-wal"));
    }
  }

  TEST_CASE("a plain copy of a live server's archive.db is refused, and with its log it is taken") {
    const TestFolder live;
    const TestFolder folder;
    const auto file = folder.path() / "archive.db";
    const auto archive = open_archive(live);
    put_problem(*archive, "prb", "scan", 8);
    std::filesystem::copy_file(live.path() / "archive.db", file);
    const std::string refused = "io: the archive `" + file.string() +
                                "` has no tables: it was copied without its write-ahead log `" +
                                file.string() +
                                "-wal`, or lost it; nothing was changed; copy archives by "
                                "`warpsmith archive backup FILE`; " +
                                kBackup + "the file to start a new archive";
    CHECK(open_error(folder.path()) == refused);
    CHECK(open_error(folder.path()) == refused);
    std::filesystem::copy_file(live.path() / "archive.db-wal", file.string() + "-wal");
    CHECK(open_error(folder.path()) == "");
    CHECK(open_archive(folder)->problem("prb").has_value());
  }

  TEST_CASE("an archive that is being restored is not opened") {
    const TestFolder folder;
    open_archive(folder).reset();
    const auto lock = ArchiveLock::alone(folder.path());
    REQUIRE(lock.has_value());
    CHECK(open_error(folder.path()) ==
          "busy: the archive in `" + folder.path().string() +
              "` is being restored; try again when `warpsmith archive restore` has ended");
  }
}

}  // namespace ws::test
