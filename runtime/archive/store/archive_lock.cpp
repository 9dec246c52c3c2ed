#include "runtime/archive/store/archive_lock.h"

#include <cerrno>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/archive/store/live_servers.h"

namespace ws {
namespace {

constexpr mode_t kOwner = 0600;

struct Opened {
  Fd file;
  bool is_new = false;
};

Opened open_lock(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "archive.lock";
  Fd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwner));
  if (made.valid()) {
    ::fchmod(made.get(), kOwner);  // The umask may have left fewer rights.
    return {std::move(made), true};
  }
  return {Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)), false};
}

tl::unexpected<Error> in_use(const std::filesystem::path& folder) {
  const std::string archive = "the archive in `" + folder.string() + "` is in use by ";
  const std::vector<pid_t> servers = live_servers(folder);
  if (servers.empty()) {
    return fail(ErrorCode::kBusy, archive + "another process; nothing was changed",
                "end the commands that use it, then try again");
  }
  return fail(
      ErrorCode::kBusy,
      archive + "a server, process " + std::to_string(servers.front()) + "; nothing was changed",
      "stop that server, then try again");
}

}  // namespace

Result<ArchiveLock> ArchiveLock::share(const std::filesystem::path& folder) {
  Opened lock = open_lock(folder);
  if (lock.file.valid() && ::flock(lock.file.get(), LOCK_SH | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK) {
    return fail(ErrorCode::kBusy, "the archive in `" + folder.string() + "` is being restored",
                "try again when `warpsmith archive restore` has ended");
  }
  return ArchiveLock(std::move(lock.file), lock.is_new);
}

Result<ArchiveLock> ArchiveLock::alone(const std::filesystem::path& folder) {
  Opened lock = open_lock(folder);
  if (!lock.file.valid()) {
    return fail_errno("open", "`" + (folder / "archive.lock").string() + "` cannot be written",
                      "make its folder writable, or choose another one with --data DIR");
  }
  // Servers of older versions have no lock.
  if (::flock(lock.file.get(), LOCK_EX | LOCK_NB) != 0 || !live_servers(folder).empty()) {
    return in_use(folder);
  }
  return ArchiveLock(std::move(lock.file), lock.is_new);
}

bool ArchiveLock::had_tables() const {
  struct stat status = {};
  return file_.valid() && ::fstat(file_.get(), &status) == 0 && status.st_size > 0;
}

void ArchiveLock::note_tables(bool has_tables) {
  constexpr std::string_view kNote = "The archive beside this file has tables.\n";
  if (!file_.valid() || has_tables == had_tables()) {
    return;
  }
  // Without the note the archive works, and is only guarded less.
  [[maybe_unused]] const bool noted = has_tables
                                          ? ::pwrite(file_.get(), kNote.data(), kNote.size(), 0) > 0
                                          : ::ftruncate(file_.get(), 0) == 0;
}

}  // namespace ws
