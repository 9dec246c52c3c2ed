#include "runtime/archive/store/instance.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/archive/store/live_servers.h"
#include "runtime/base/hash.h"
#include "runtime/base/private_files.h"

namespace ws {
namespace {

constexpr std::size_t kIdDigits = 16;
constexpr const char* kFolder = "instances";

bool is_id(const std::string& id) {
  return id.size() == kIdDigits &&
         id.find_first_not_of("0123456789abcdef") == std::string::npos;  // It becomes a path.
}

/// Nobody has it now: its process is gone, or it was never there.
bool is_free(const std::filesystem::path& file) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) {
    return errno == ENOENT;
  }
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) == 0;
}

/// Removes what processes left that could not do it themselves.
void remove_free(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::filesystem::path file = at->path();
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (is_id(file.filename()) && fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlink(file.c_str());
    }
  }
}

/// An error of flock; false: another process removed the file before it was locked.
Result<bool> lock(const Fd& file) {
  while (::flock(file.get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      return fail_errno("flock", "cannot lock a file in the data folder",
                        "choose another folder with --data DIR");
    }
  }
  struct stat status = {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

void write_process_id(const Fd& file) {
  const std::string text = std::to_string(::getpid()) + "\n";
  // Only the message of a refused restore needs it.
  [[maybe_unused]] const ssize_t written = ::write(file.get(), text.data(), text.size());
}

pid_t read_process_id(const Fd& file) {
  std::array<char, 32> text{};
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  pid_t id = 0;
  if (size > 0) {
    std::from_chars(text.data(), text.data() + size, id);
  }
  return id;
}

}  // namespace

std::vector<pid_t> live_servers(const std::filesystem::path& data) {
  std::vector<pid_t> ids;
  std::error_code error;
  for (std::filesystem::directory_iterator at(data / kFolder, error), end; !error && at != end;
       at.increment(error)) {
    const Fd file(::open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (is_id(at->path().filename()) && file.valid() &&
        ::flock(file.get(), LOCK_SH | LOCK_NB) != 0) {
      ids.push_back(read_process_id(file));
    }
  }
  return ids;
}

Result<Instance> Instance::begin(const ArchivePlace& place) {
  std::filesystem::path folder = place.folder / kFolder;
  // A folder that cannot be made shows when the file in it is opened next.
  [[maybe_unused]] const std::error_code made = make_private_folder(folder);
  keep_private(folder);
  remove_free(folder);
  for (;;) {
    std::string id = random_hex(kIdDigits);
    Fd file(::open((folder / id).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid()) {
      return fail_errno("open", "cannot make a file in `" + folder.string() + "`",
                        "choose another folder with --data DIR");
    }
    WS_TRY(const bool locked, lock(file));
    if (locked) {
      write_process_id(file);
      Instance instance(std::move(folder), std::move(id), std::move(file));
      if (!place.store.empty()) {
        WS_TRY(instance.lease_, ServerLease::begin(place.store, instance.id_));
      }
      return instance;
    }
  }
}

Instance::~Instance() {
  if (file_.valid()) {
    ::unlink((folder_ / id_).c_str());
  }
}

bool Instance::lives(const std::string& id) const {
  return id == id_ || (lease_ ? lease_->lives(id) : is_id(id) && !is_free(folder_ / id));
}

}  // namespace ws
