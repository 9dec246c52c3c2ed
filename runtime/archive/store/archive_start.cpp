#include "runtime/archive/store/archive_start.h"

#include <string>
#include <system_error>

#include "runtime/archive/store/archive_folder.h"

namespace ws {
namespace {

constexpr const char* kRestore = "restore a backup by `warpsmith archive restore FILE`, or delete ";

/// 0 where it is not there.
std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

/// SQLite deletes the log of an empty file.
Status check_log(const std::filesystem::path& file) {
  const std::string log = file.string() + "-wal";
  if (size_of(file) > 0 || size_of(log) == 0) {
    return {};
  }
  return fail(ErrorCode::kIo,
              "the archive `" + file.string() + "` is empty or missing, but its write-ahead log `" +
                  log + "` is not; nothing was changed",
              "put back the file that belongs to the log, " + std::string(kRestore) +
                  "both to start a new archive");
}

}  // namespace

Result<ArchiveLock> start_archive(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kArchiveFile;
  WS_CHECK(check_log(file));
  std::error_code ignored;
  const bool missing = !std::filesystem::exists(file, ignored);
  const bool filled = size_of(file) > 0;
  WS_CHECK(make_archive_folder(folder));
  WS_TRY(ArchiveLock lock, ArchiveLock::share(folder));
  if (missing) {
    lock.note_tables(false);  // The user took the file away to start a new archive.
  } else if (filled && lock.is_new()) {
    lock.note_tables(true);  // It came from elsewhere, or from an older version.
  } else if (!filled && lock.had_tables()) {
    return fail(
        ErrorCode::kIo,
        "the archive `" + file.string() + "` is empty, but it was not before; nothing was changed",
        std::string(kRestore) + "the empty file to start a new archive");
  }
  return lock;
}

Status check_tables(Connection& connection, const ArchiveLock& lock,
                    const std::filesystem::path& file) {
  WS_TRY(Statement tables, connection.prepare("SELECT count(*) FROM sqlite_schema"));
  WS_TRY([[maybe_unused]] const bool row, tables.step());
  if (tables.integer(0) > 0 || !lock.had_tables()) {
    return {};
  }
  return fail(ErrorCode::kIo,
              "the archive `" + file.string() +
                  "` has no tables: it was copied without its write-ahead log `" + file.string() +
                  "-wal`, or lost it; nothing was changed",
              "copy archives by `warpsmith archive backup FILE`; " + std::string(kRestore) +
                  "the file to start a new archive");
}

}  // namespace ws
