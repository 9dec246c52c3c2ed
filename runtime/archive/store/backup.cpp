#include "runtime/archive/store/backup.h"

#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/archive_lock.h"
#include "runtime/archive/store/schema.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/files.h"
#include "runtime/base/hash.h"

namespace ws {
namespace {

constexpr const char* kOtherPlace = "choose another place, or free some space";

constexpr const char* kPart = ".part-";

/// An empty file for its owner alone, locked while it is written. The umask may have taken more.
Result<Fd> make_part(const std::filesystem::path& file) {
  constexpr mode_t kOwner = 0600;
  Fd made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwner));
  if (!made.valid() || ::fchmod(made.get(), kOwner) != 0 ||
      ::flock(made.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail_errno("open", "cannot write `" + file.string() + "`", kOtherPlace);
  }
  return made;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// Removes what copies to this file left that were killed.
void remove_left_parts(const std::filesystem::path& file) {
  std::error_code error;
  const std::string start = file.filename().string() + kPart;
  for (std::filesystem::directory_iterator at(folder_of(file), error), end; !error && at != end;
       at.increment(error)) {
    if (!at->path().filename().string().starts_with(start)) {
      continue;
    }
    const Fd part(::open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (part.valid() && ::flock(part.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlink(at->path().c_str());
    }
  }
}

Result<std::int64_t> count(Connection& connection, const char* sql) {
  WS_TRY(Statement row, connection.prepare(sql));
  WS_TRY([[maybe_unused]] const bool found, row.step());
  return row.integer(0);
}

Status copy_into(Connection& source, const std::filesystem::path& part,
                 const CopyProgress& progress) {
  WS_TRY(Connection target, Connection::open(part.string(), false));
  // A copy that breaks off is removed, and the whole file is synced at the end.
  WS_CHECK(target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"));
  return source.copy_to(target, progress);
}

/// Counts what is in a copy, and makes it a file that needs no log, so that it can be read where
/// nothing can be written.
Result<BackupReport> finish(const std::filesystem::path& part) {
  BackupReport report;
  {
    WS_TRY(Connection copy, Connection::open(part.string(), false));
    WS_CHECK(copy.execute("PRAGMA journal_mode = DELETE"));
    WS_TRY(Statement check, copy.prepare("PRAGMA quick_check(1)"));
    WS_TRY([[maybe_unused]] const bool row, check.step());
    if (check.text(0) != "ok") {
      return fail(ErrorCode::kIo, "the archive is damaged, and so would be its backup",
                  "see what `warpsmith archive verify` finds", check.text(0));
    }
    WS_TRY(report.kernels, count(copy, "SELECT count(*) FROM kernels"));
    WS_TRY(report.evidence, count(copy, "SELECT count(*) FROM evidence"));
  }
  WS_CHECK(sync_to_disk(part));
  report.bytes = std::filesystem::file_size(part);
  return report;
}

Result<BackupReport> write_part(Connection& source, const std::filesystem::path& part,
                                const CopyProgress& progress) {
  WS_TRY(const Fd lock, make_part(part));
  WS_CHECK(copy_into(source, part, progress));
  return finish(part);
}

}  // namespace

Status sync_to_disk(const std::filesystem::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() || ::fsync(file.get()) != 0) {
    return fail_errno("fsync", "cannot write `" + path.string() + "` to the disk", kOtherPlace);
  }
  return {};
}

Result<BackupReport> write_backup(Connection& source, const std::filesystem::path& file,
                                  const CopyProgress& progress) {
  constexpr std::size_t kDigits = 8;
  const std::filesystem::path part = file.string() + kPart + random_hex(kDigits);
  remove_left_parts(file);
  Result<BackupReport> report = write_part(source, part, progress);
  if (report && ::rename(part.c_str(), file.c_str()) != 0) {
    report = fail_errno("rename", "cannot write `" + file.string() + "`", kOtherPlace);
  }
  if (!report) {
    std::error_code ignored;  // The reason is known already.
    std::filesystem::remove(part, ignored);
    return report;
  }
  WS_CHECK(sync_to_disk(folder_of(file)));
  return report;
}

Result<BackupReport> backup_archive(const std::filesystem::path& folder,
                                    const std::filesystem::path& file, bool replace,
                                    const CopyProgress& progress) {
  const std::filesystem::path archive = folder / kArchiveFile;
  std::error_code error;
  if (!std::filesystem::exists(archive, error)) {
    return fail(ErrorCode::kNotFound, "there is no archive in `" + folder.string() + "`",
                "name its folder by --data DIR");
  }
  if (std::filesystem::equivalent(archive, file, error)) {
    return fail(ErrorCode::kConflict, "`" + file.string() + "` is the archive itself",
                "name another file");
  }
  if (!replace && std::filesystem::exists(file, error)) {
    return fail(ErrorCode::kConflict, "`" + file.string() + "` is there already",
                "name another file, or replace it with --force");
  }
  WS_TRY(const ArchiveLock lock, ArchiveLock::share(folder));
  // Not read-only: a transaction that was killed may have to be undone first.
  WS_TRY(Connection source, Connection::open(archive.string(), false));
  Snapshot snapshot(source);
  WS_CHECK(snapshot.begin());
  WS_CHECK(check_version(source));
  return write_backup(source, file, progress);
}

}  // namespace ws
