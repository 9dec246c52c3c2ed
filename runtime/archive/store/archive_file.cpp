#include "runtime/archive/store/archive_file.h"

#include <chrono>
#include <system_error>
#include <thread>

#include "runtime/archive/store/archive_start.h"
#include "runtime/archive/store/schema.h"

namespace ws {
namespace {

/// 330 MB. Writing them back would hold up a write for a second; Upkeep does it before.
constexpr int kMostLogPages = 80000;
constexpr std::uintmax_t kCheckedBytes = std::uintmax_t{8} << 20U;  // About 5 ms to check.

/// Finds damage before anything is written.
Status check_integrity(Connection& connection, const std::filesystem::path& file) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  if (code || size > kCheckedBytes) {
    return {};
  }
  WS_TRY(Statement statement, connection.prepare("PRAGMA quick_check(1)"));
  WS_TRY([[maybe_unused]] const bool row, statement.step());
  if (statement.text(0) != "ok") {
    return fail(ErrorCode::kIo,
                "the archive `" + file.string() + "` is damaged; nothing was changed",
                "move the file away to start a new one, or restore a copy", statement.text(0));
  }
  return {};
}

/// Switching to WAL needs the file alone, and SQLite does not wait for that by itself.
Status use_wal(Connection& connection) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kPause(20);
  Status status = connection.execute("PRAGMA journal_mode = WAL");
  for (int i = 1; i < kTries && !status && status.error().code == ErrorCode::kBusy; ++i) {
    std::this_thread::sleep_for(kPause);
    status = connection.execute("PRAGMA journal_mode = WAL");
  }
  return status;
}

}  // namespace

Result<Connection> open_writer(const std::filesystem::path& file, const ArchiveLock& lock) {
  WS_TRY(Connection writer, Connection::open(file.string(), false));
  WS_CHECK(check_integrity(writer, file));
  WS_CHECK(check_tables(writer, lock, file));
  WS_CHECK(use_wal(writer));
  // NORMAL: a commit is in the kernel's cache when it returns, so a killed process loses nothing;
  // only a power cut can lose the last commits, and never damages the file.
  WS_CHECK(
      writer.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; "
                     "PRAGMA cache_size = -32000"));
  writer.write_back_at(kMostLogPages);
  WS_CHECK(migrate(writer, file));
  return writer;
}

Result<Connection> open_reader(const std::filesystem::path& file) {
  WS_TRY(Connection reader, Connection::open(file.string(), true));
  WS_CHECK(reader.execute("PRAGMA mmap_size = 2147418112"));  // As much as SQLite maps at all.
  return reader;
}

}  // namespace ws
