// Tests of copies of a whole archive, made while others write it.
#include "runtime/archive/store/backup.h"

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/files.h"

namespace ws::test {
namespace {

std::string error_of(const Result<BackupReport>& result) {
  return result ? "" : to_text(result.error());
}

std::int64_t number(const std::filesystem::path& file, const std::string& sql) {
  auto connection = Connection::open(file.string(), true);
  auto row = connection->prepare(sql);
  REQUIRE_MESSAGE(row.has_value(), to_text(row.error()));
  REQUIRE(row->step().has_value());
  return row->integer(0);
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_SUITE("archive.backup") {
  TEST_CASE("a copy is one private file, and says what is in it") {
    const Filled filled;
    const TestFolder out;
    const auto file = out.path() / "a.db";
    std::int64_t done = 0;
    std::int64_t pages = 0;
    const auto report =
        backup_archive(filled.folder().path(), file, false, [&](std::int64_t now, std::int64_t of) {
          done = now;
          pages = of;
        });
    REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
    CHECK(report->kernels == 4);
    CHECK(report->evidence == 6);
    CHECK(report->bytes == std::filesystem::file_size(file));
    CHECK(done == pages);
    CHECK(static_cast<std::uint64_t>(pages) * 4096 == report->bytes);
    struct stat status = {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
    CHECK(number(file, "SELECT count(*) FROM standings") == 4);
    CHECK(files_in(out.path()) == 1);
  }

  TEST_CASE("a copy under writes has whole transactions, the first ones and no others") {
    const TestFolder folder;
    const TestFolder out;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    for (int i = 0; i < 300; ++i) {  // Some steps of the copy.
      put_kernel(*archive, "old" + std::to_string(i), "prb_mm",
                 "int x" + std::to_string(i) + ";" + std::string(60'000, ' '));
    }
    std::atomic<int> stored = 0;
    std::atomic<bool> stop = false;
    std::thread writer([&] {
      while (!stop) {
        const std::string id = "new" + std::to_string(stored.load());
        put_kernel(*archive, id, "prb_mm", "int q;");
        judge(*archive, id, "validate", Verdict::kPassed);
        ++stored;
      }
    });
    const auto file = out.path() / "a.db";
    int steps = 0;
    int before = 0;
    const auto report = backup_archive(folder.path(), file, false, [&](auto, auto) {
      const int now = stored;
      while (steps == 0 && stored < now + 5) {  // Rows are stored between two steps.
        std::this_thread::yield();
      }
      before = steps == 0 ? now : before;
      ++steps;
    });
    stop = true;
    writer.join();
    REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
    CHECK(steps > 1);
    CHECK(number(file,
                 "SELECT count(*) FROM pragma_integrity_check "
                 "WHERE integrity_check <> 'ok'") == 0);
    CHECK(number(file, "SELECT count(*) FROM pragma_foreign_key_check") == 0);
    CHECK(report->kernels >= 300);
    CHECK(report->kernels <= 300 + before + 1);
    CHECK(report->evidence >= report->kernels - 301);
  }

  TEST_CASE("the next copy removes what a killed one left, and nothing else") {
    const Filled filled;
    const TestFolder out;
    const auto file = out.path() / "a.db";
    REQUIRE(write_file(file.string() + ".part-0123456789abcdef", "left").has_value());
    REQUIRE(write_file(out.path() / "b.db.part-0", "of another file").has_value());
    REQUIRE(backup_archive(filled.folder().path(), file, false).has_value());
    CHECK(files_in(out.path()) == 2);
  }

  TEST_CASE("what cannot be copied, and where it cannot go") {
    const TestFolder folder;
    const TestFolder out;
    const auto file = out.path() / "a.db";
    CHECK(error_of(backup_archive(folder.path(), file, false)) ==
          "not_found: there is no archive in `" + folder.path().string() +
              "`; name its folder by --data DIR");
    const auto archive = open_archive(folder);
    const auto own = folder.path() / "archive.db";
    CHECK(error_of(backup_archive(folder.path(), own, true)) ==
          "conflict: `" + own.string() + "` is the archive itself; name another file");
    REQUIRE(backup_archive(folder.path(), file, false).has_value());
    put_problem(*archive, "prb_mm", "matmul", 8);
    CHECK(error_of(backup_archive(folder.path(), file, false)) ==
          "conflict: `" + file.string() +
              "` is there already; name another file, or replace it with --force");
    CHECK(number(file, "SELECT count(*) FROM problems") == 0);
    CHECK(backup_archive(folder.path(), file, true).has_value());
    CHECK(number(file, "SELECT count(*) FROM problems") == 1);
    CHECK(error_of(backup_archive(folder.path(), out.path() / "none" / "a.db", false))
              .starts_with("io: cannot write `" + (out.path() / "none" / "a.db.part-").string()));
  }

  TEST_CASE("a copy of archive.db without its log is no archive that can be copied") {
    const TestFolder live;
    const TestFolder folder;
    const auto archive = open_archive(live);
    std::filesystem::copy_file(live.path() / "archive.db", folder.path() / "archive.db");
    CHECK(error_of(backup_archive(folder.path(), folder.path() / "a.db", false)) ==
          "io: there are no tables of an archive in it; copy archives by `warpsmith archive backup "
          "FILE`: archive.db alone lacks what is in archive.db-wal");
  }

  TEST_CASE("a damaged archive is not copied, and nothing is left of the try") {
    const TestFolder folder;
    const TestFolder out;
    {
      const auto archive = open_archive(folder);
      put_problem(*archive, "prb_mm", "matmul", 8);
    }
    const auto own = folder.path() / "archive.db";
    std::string bytes = read_file(own).value();
    const std::size_t page = bytes.size() / 2 / 4096 * 4096;
    bytes.replace(page, 4096, std::string(4096, '\x5a'));
    REQUIRE(write_file(own, bytes).has_value());
    CHECK(error_of(backup_archive(folder.path(), out.path() / "a.db", false))
              .starts_with("io: the archive is damaged, and so would be its backup ("));
    CHECK(files_in(out.path()) == 0);
  }
}

}  // namespace ws::test
