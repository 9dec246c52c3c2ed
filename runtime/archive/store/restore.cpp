#include "runtime/archive/store/restore.h"

#include <algorithm>
#include <string>
#include <system_error>

#include <unistd.h>

#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/archive_lock.h"
#include "runtime/archive/store/schema.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/clock.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

constexpr const char* kOtherBackup =
    "use another backup; `warpsmith archive backup FILE` makes one";

tl::unexpected<Error> damaged(const std::filesystem::path& file, const std::string& finding) {
  return fail(ErrorCode::kIo, "the backup `" + file.string() + "` is damaged; nothing was changed",
              kOtherBackup, finding);
}

Status check_backup(Connection& backup, const std::filesystem::path& file) {
  for (const char* sql : {"PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"}) {
    Result<Statement> check = backup.prepare(sql);
    if (!check) {
      return damaged(file, check.error().source);
    }
    const Result<bool> found = check->step();
    if (!found) {
      return damaged(file, found.error().source);
    }
    if (*found && check->text(0) != "ok") {
      return damaged(file, check->text(0));
    }
  }
  return {};
}

/// @errors kIo: it is no archive that this program can use.
Result<Connection> open_backup(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return fail(ErrorCode::kNotFound, "there is no file `" + file.string() + "`");
  }
  WS_TRY(Connection backup, Connection::open(file.string(), true));
  WS_CHECK(check_backup(backup, file));
  if (const Status known = check_version(backup); !known) {
    Error wrong = known.error();
    wrong.message = "`" + file.string() + "` cannot be restored: " + wrong.message;
    return tl::unexpected(std::move(wrong));
  }
  return backup;
}

/// Brings all of the old archive into one file, unless it is too damaged for that.
/// @errors kBusy: another program has it open.
Status fold_log(const std::filesystem::path& archive) {
  Result<Connection> old = Connection::open(archive.string(), false);
  const Status folded = old ? old->execute("PRAGMA journal_mode = DELETE") : Status();
  if (!folded && folded.error().code == ErrorCode::kBusy) {
    return fail(
        ErrorCode::kBusy,
        "the archive `" + archive.string() + "` is in use by another program; nothing was changed",
        "end that program, then try again");
  }
  return {};
}

/// A name beside the archive that nothing has: in the order of time, and of restores in a second.
std::filesystem::path name_for_old(const std::filesystem::path& archive) {
  constexpr std::size_t kSeconds = 19;
  std::string time = timestamp_now().substr(0, kSeconds);
  time.erase(std::remove_if(time.begin(), time.end(), [](char c) { return c == '-' || c == ':'; }),
             time.end());
  const std::string name = archive.string() + ".before-restore-" + time;
  std::filesystem::path free = name;
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(free, ignored); ++i) {
    free = name + "-" + std::to_string(i);
  }
  return free;
}

/// Gives the old archive a second name, so that the first one is never without a file, and takes
/// its logs away: SQLite would apply them to any file of that name.
/// @return Empty: there was none.
Result<std::filesystem::path> keep_old(const std::filesystem::path& archive) {
  std::error_code error;
  // SQLite deletes the log of an empty file.
  if (std::filesystem::exists(archive, error) && std::filesystem::file_size(archive, error) > 0) {
    WS_CHECK(fold_log(archive));
  }
  const std::filesystem::path name = name_for_old(archive);
  std::filesystem::path kept;
  if (std::filesystem::exists(archive, error)) {
    if (::link(archive.c_str(), name.c_str()) != 0) {
      return fail_errno("link", "the old archive cannot be kept as `" + name.string() + "`",
                        "move archive.db and archive.db-wal away, then try again");
    }
    kept = name;
  }
  for (const char* ending : {"-wal", "-journal"}) {
    if (std::filesystem::exists(archive.string() + ending, error)) {
      std::filesystem::rename(archive.string() + ending, name.string() + ending, error);
      if (error) {
        return fail(ErrorCode::kIo, "the old archive's log cannot be kept", {}, error.message());
      }
      kept = name;
    }
  }
  std::filesystem::remove(archive.string() + "-shm", error);
  return kept;
}

}  // namespace

Result<RestoreReport> restore_archive(const std::filesystem::path& folder,
                                      const std::filesystem::path& file,
                                      const CopyProgress& progress) {
  WS_TRY(Connection backup, open_backup(file));
  WS_CHECK(make_data_folder(folder));
  WS_TRY(ArchiveLock lock, ArchiveLock::alone(folder));
  const std::filesystem::path archive = folder / kArchiveFile;
  const std::filesystem::path fresh = archive.string() + ".restored";
  RestoreReport report;
  WS_TRY(report.restored, write_backup(backup, fresh, progress));
  Result<std::filesystem::path> kept = keep_old(archive);
  if (kept && ::rename(fresh.c_str(), archive.c_str()) != 0) {
    kept = fail_errno("rename", "cannot write `" + archive.string() + "`");
  }
  if (!kept) {
    std::error_code ignored;  // The reason is known already.
    std::filesystem::remove(fresh, ignored);
    return fail(kept.error());
  }
  report.kept = *std::move(kept);
  lock.note_tables(true);
  WS_CHECK(sync_to_disk(folder));
  return report;
}

}  // namespace ws
