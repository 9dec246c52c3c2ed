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

std::string_view g_folder;  // A signal handler takes no argument.
int g_descriptor = -1;

/// A path below the folder, without "." and "..", in memory of its own: a handler must not
/// allocate.
class RelativePath {
 public:
  /// False when `path` is not below the folder.
  bool assign(std::string_view path) {
    if (!path.starts_with(g_folder) || path.size() <= g_folder.size() ||
        path[g_folder.size()] != '/') {
      return false;
    }
    path.remove_prefix(g_folder.size());
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

long open_below(const char* path) {
  RelativePath relative;
  if (path == nullptr || !relative.assign(path)) {
    return -ENOENT;
  }
  return result_of(::syscall(SYS_openat, g_descriptor, relative.c_str(), O_RDONLY | O_CLOEXEC, 0));
}

long look_below(const char* path, greg_t status) {
  RelativePath relative;
  if (path == nullptr || !relative.assign(path)) {
    return -ENOENT;
  }
  return result_of(::syscall(SYS_newfstatat, g_descriptor, relative.c_str(), status, 0));
}

long answer(int call, const greg_t* registers) {
  const greg_t first = registers[REG_RDI];
  const greg_t second = registers[REG_RSI];
  const greg_t third = registers[REG_RDX];
  switch (call) {
    case SYS_open:
      return open_below(path_of(first));
    case SYS_openat:
      return open_below(path_of(second));
    case SYS_stat:
    case SYS_lstat:
      return look_below(path_of(first), second);
    case SYS_newfstatat:
      // glibc's fstat() is this call with an empty path.
      return registers[REG_R10] == AT_EMPTY_PATH ? result_of(::syscall(SYS_fstat, first, third))
                                                 : look_below(path_of(second), third);
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

void install_header_gate(const std::string& folder, int descriptor) {
  g_folder = folder;
  g_descriptor = descriptor;
  struct sigaction action = {};
  action.sa_sigaction = on_trapped_call;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
}

}  // namespace ws
