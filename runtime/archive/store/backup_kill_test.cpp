// Processes that copy, restore, upgrade and clean an archive are killed: it is always whole.
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/restore.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::test {
namespace {

constexpr int kRounds = 25;

/// Runs `work` again and again in a process of its own, which is killed after a while.
void kill_while(int round, const std::function<void()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (;;) {
      work();
    }
  }
  std::this_thread::sleep_for(std::chrono::microseconds(300 + round * 1709 % 40000));
  ::kill(child, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

std::int64_t number(const std::filesystem::path& file, const std::string& sql) {
  auto connection = Connection::open(file.string(), false);  // It may have to undo something.
  auto row = connection->prepare(sql);
  REQUIRE_MESSAGE(row.has_value(), to_text(row.error()));
  REQUIRE(row->step().has_value());
  return row->integer(0);
}

bool is_sound(const std::filesystem::path& file) {
  return number(file, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") +
             number(file, "SELECT count(*) FROM pragma_foreign_key_check") ==
         0;
}

/// A filled archive in `folder` with some bulk, and a copy of it.
std::filesystem::path fill(const TestFolder& folder, const TestFolder& out) {
  const auto archive = open_archive(folder);
  put_problem(*archive, "prb_mm", "matmul", 8);
  for (int i = 0; i < 50; ++i) {
    const std::string id = "k" + std::to_string(i);
    put_kernel(*archive, id, "prb_mm", "int " + id + ";" + std::string(30'000, ' '));
    judge(*archive, id, "validate", Verdict::kPassed);
  }
  auto file = out.path() / "a.db";
  REQUIRE(backup_archive(folder.path(), file, false).has_value());
  return file;
}

}  // namespace

TEST_SUITE("archive.backup_kill") {
  TEST_CASE("a killed restore leaves the old archive or the new one") {
    const TestFolder folder;
    const TestFolder out;
    const auto file = fill(folder, out);
    const auto archive_file = folder.path() / "archive.db";
    for (int round = 0; round < kRounds; ++round) {
      {
        const auto opened = Archive::open(folder.path());
        REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
        const bool marked = (*opened)->setting("round").value().has_value();
        CAPTURE(marked);
        REQUIRE((*opened)->set_setting("round", std::to_string(round)).has_value());
        CHECK((*opened)->kernel("k49").has_value());
      }
      kill_while(round,
                 [&] { [[maybe_unused]] const auto done = restore_archive(folder.path(), file); });
      CHECK(is_sound(archive_file));
      CHECK(number(archive_file, "SELECT count(*) FROM kernels") == 50);
    }
  }

  TEST_CASE("a killed backup leaves the file of before or a whole new one") {
    const TestFolder folder;
    const TestFolder out;
    const auto file = fill(folder, out);
    for (int round = 0; round < kRounds; ++round) {
      kill_while(round, [&] {
        [[maybe_unused]] const auto done = backup_archive(folder.path(), file, true);
      });
      CHECK(is_sound(file));
      CHECK(number(file, "SELECT count(*) FROM kernels") == 50);
      CHECK(is_sound(folder.path() / "archive.db"));
    }
  }

  TEST_CASE("a killed upgrade or gc leaves a whole archive") {
    const TestFolder folder;
    const TestFolder out;
    const auto file = fill(folder, out);
    const auto archive_file = folder.path() / "archive.db";
    for (int round = 0; round < kRounds; ++round) {
      kill_while(round, [&] {
        [[maybe_unused]] const auto restored = restore_archive(folder.path(), file);
        {
          auto old = Connection::open(archive_file.string(), false);
          [[maybe_unused]] const auto made =
              old->execute("DROP INDEX IF EXISTS labels_by_kernel; PRAGMA user_version = 14");
        }
        if (auto archive = Archive::open(folder.path())) {
          [[maybe_unused]] const auto gone = (*archive)->collect_garbage({.days = 0}, true);
        }
      });
      const auto opened = Archive::open(folder.path());
      REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
      CHECK((*opened)->check()->misindexed == 0);
      CHECK(is_sound(archive_file));
    }
  }
}

}  // namespace ws::test
