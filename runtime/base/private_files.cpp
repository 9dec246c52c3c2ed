#include "runtime/base/private_files.h"

#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

namespace ws {

std::error_code make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) {
    return {};
  }
  const std::filesystem::path around = folder.parent_path();
  if (!around.empty() && around != folder) {
    if (const std::error_code failed = make_private_folder(around)) {
      return failed;
    }
  }
  constexpr mode_t kOwner = 0700;
  if (::mkdir(folder.c_str(), kOwner) != 0) {
    // A file of that name makes all below it impossible.
    const std::error_code failed(errno == EEXIST ? ENOTDIR : errno, std::generic_category());
    return std::filesystem::is_directory(folder, error) ? std::error_code() : failed;
  }
  ::chmod(folder.c_str(), kOwner);  // A umask may take even the owner's rights.
  return {};
}

void keep_private(const std::filesystem::path& path) {
  constexpr mode_t kOthers = 0077;
  constexpr mode_t kAll = 07777;
  struct stat status = {};
  const bool own = ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
                   !S_ISLNK(status.st_mode) && (status.st_mode & S_ISVTX) == 0;
  if (own && (status.st_mode & kOthers) != 0) {
    ::chmod(path.c_str(), status.st_mode & kAll & ~kOthers);
  }
}

}  // namespace ws
