#include "runtime/worker/header_gate.h"

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace ws {
namespace {

HeaderGate g_gate;  // A signal handler takes no argument.

/// A path below the folder, without "." and "..", in memory of its own: a handler must not
/// allocate.
class RelativePath {
 public:
  /// False when `path` is not below the folder.
  bool assign(std::string_view path) {
    const std::string_view folder = g_gate.folder;
    if (!path.starts_with(folder) || path.size() <= folder.size() || path[folder.size()] != '/') {
      return false;
    }
    path.remove_prefix(folder.size());
    while (!path.empty()) {
      path.remove_prefix(1);  // The slash.
      const std::string_view part = path.substr(0, path.find('/'));
      if (!add(part)) {
        return false;
      }
      path.remove_prefix(part.size());
    }
    text_[size_] = '\0';
    return true;
  }

  /// "." for the folder itself.
  [[nodiscard]] const char* c_str() const { return size_ == 0 ? "." : text_.data(); }

 private:
  bool add(std::string_view part) {
    if (part.empty() || part == ".") {
      return true;
    }
    if (part == "..") {
      const std::size_t slash = std::string_view(text_.data(), size_).rfind('/');
      const bool inside = size_ > 0;
      size_ = slash == std::string_view::npos ? 0 : slash;
      return inside;
    }
    if (size_ + part.size() + 2 > text_.size()) {
      return false;
    }
    if (size_ > 0) {
      text_[size_++] = '/';
    }
    size_ += part.copy(text_.data() + size_, part.size());
    return true;
  }

  std::array<char, PATH_MAX> text_{};
  std::size_t size_ = 0;
};

const char* path_of(greg_t number) {
  return reinterpret_cast<const char*>(number);
}

/// The result as the kernel gives it: negative errno.
long result_of(long result) {
  return result < 0 ? -errno : result;
}

bool is_scratch(const char* path) {
  return g_gate.scratch >= 0 && path != nullptr && std::string_view(path) == kScratchFile;
}

bool is_temporary(const char* path) {
  return g_gate.temporary >= 0 && path != nullptr &&
         std::string_view(path).starts_with(kTemporaryFile);
}

/// All openings of a file share one position: the compiler has one at a time.
long open_own(int descriptor, greg_t flags) {
  if ((flags & O_TRUNC) != 0 && ::ftruncate(descriptor, 0) != 0) {
    return -EIO;
  }
  ::lseek(descriptor, 0, SEEK_SET);
  return result_of(::dup(descriptor));
}

long open_file(const char* path, greg_t flags) {
  RelativePath relative;
  if (is_scratch(path)) {
    return open_own(g_gate.scratch, flags);
  }
  if (is_temporary(path)) {
    return open_own(g_gate.temporary, flags);
  }
  if (path == nullptr || !relative.assign(path)) {
    return -ENOENT;
  }
  return result_of(
      ::syscall(SYS_openat, g_gate.descriptor, relative.c_str(), O_RDONLY | O_CLOEXEC, 0));
}

long look_at(const char* path, greg_t status) {
  RelativePath relative;
  if (is_scratch(path)) {
    return result_of(::syscall(SYS_fstat, g_gate.scratch, status));
  }
  if (path == nullptr || !relative.assign(path)) {
    return -ENOENT;
  }
  return result_of(::syscall(SYS_newfstatat, g_gate.descriptor, relative.c_str(), status, 0));
}

long answer(int call, const greg_t* registers) {
  const greg_t first = registers[REG_RDI];
  const greg_t second = registers[REG_RSI];
  const greg_t third = registers[REG_RDX];
  switch (call) {
    case SYS_open:
      return open_file(path_of(first), second);
    case SYS_openat:
      return open_file(path_of(second), third);
    case SYS_stat:
    case SYS_lstat:
      return look_at(path_of(first), second);
    case SYS_newfstatat:
      // glibc's fstat() is this call with an empty path.
      return registers[REG_R10] == AT_EMPTY_PATH ? result_of(::syscall(SYS_fstat, first, third))
                                                 : look_at(path_of(second), third);
    case SYS_unlink:
      return is_scratch(path_of(first)) || is_temporary(path_of(first)) ? 0 : -ENOENT;
    default:
      return -ENOENT;
  }
}

void on_trapped_call(int /*signal*/, siginfo_t* info, void* context) {
  const int kept = errno;
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RAX] = answer(info->si_syscall, registers);
  errno = kept;
}

}  // namespace

void install_header_gate(const HeaderGate& gate) {
  g_gate = gate;
  struct sigaction action = {};
  action.sa_sigaction = on_trapped_call;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
}

}  // namespace ws
