#include "server/access/private_file.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ws::server {
namespace {

constexpr std::chrono::milliseconds kLookAgain{20};

/// Looks at the open file: another one may lie at the path by then.
Status check_private(int file, const std::string& name, const std::string& path) {
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  struct stat status{};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalidArgument, "the " + name + " is not a file");
  }
  if ((status.st_mode & kOthers) != 0) {
    return fail(ErrorCode::kInvalidArgument, "users other than its owner may use the " + name,
                "chmod 600 " + path);
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return fail(ErrorCode::kInvalidArgument, "the " + name + " belongs to another user",
                "chown it to the user that runs the server");
  }
  return {};
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// The file behind the links at the path; the path itself where there is no file.
std::filesystem::path linked_file(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return ::fsync(file) == 0;
}

}  // namespace

Result<std::string> read_private_file(const std::filesystem::path& path, std::string_view what,
                                      std::size_t limit) {
  const std::string name = std::string(what) + " " + path.string();
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    return fail_errno("open", "cannot read the " + name);
  }
  WS_CHECK(check_private(file.get(), name, path.string()));
  std::string text(limit, '\0');
  std::size_t size = 0;
  while (size < limit) {
    const ssize_t count = ::read(file.get(), text.data() + size, limit - size);
    if (count < 0 && errno != EINTR) {
      return fail_errno("read", "cannot read the " + name);
    }
    if (count == 0) {
      break;
    }
    size += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

Result<PrivateFileLock> PrivateFileLock::take(const std::filesystem::path& path,
                                              std::chrono::milliseconds patience) {
  const std::filesystem::path folder = folder_of(linked_file(path));
  Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) {
    return fail_errno("open", "cannot open the folder of " + path.string());
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail_errno("flock", "cannot lock the folder of " + path.string());
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      return fail(ErrorCode::kBusy, "another command changes " + path.string(), "try again");
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  return PrivateFileLock(std::move(opened));
}

Status replace_private_file(const std::filesystem::path& link, std::string_view text) {
  const std::filesystem::path path = linked_file(link);
  std::string made = path.string() + ".XXXXXX";
  const Fd file(::mkostemp(made.data(), O_CLOEXEC));  // Mode 0600.
  if (!file.valid()) {
    return fail_errno("open", "cannot write " + path.string());
  }
  struct stat before{};
  const bool owned = ::stat(path.c_str(), &before) != 0 || before.st_uid == ::geteuid() ||
                     ::fchown(file.get(), before.st_uid, before.st_gid) == 0;
  if (!owned || !write_all(file.get(), text) || ::rename(made.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(made.c_str());
    errno = error;
    return fail_errno("write", "cannot write " + path.string());
  }
  const Fd folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::fsync(folder.get());  // So that the change outlives a loss of power, where the system can.
  return {};
}

}  // namespace ws::server
