#include "runtime/worker/memory_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace ws {
namespace {

constexpr std::size_t kMostEntries = 128;
constexpr int kFolder = -1;

/// A signal handler must not allocate.
struct Entry {
  std::array<char, 256> name = {};  // Empty: free.
  int file = kFolder;               // In memory.
};

std::array<Entry, kMostEntries> g_entries;  // A signal handler takes no argument.
const char* g_prefix = "";

Entry* find(std::string_view name) {
  auto* const at = std::find_if(g_entries.begin(), g_entries.end(),
                                [&](const Entry& entry) { return name == entry.name.data(); });
  return at == g_entries.end() || name.empty() ? nullptr : at;
}

/// Null: the name is not ours, or too long, or there are too many.
Entry* add(std::string_view name, int file) {
  auto* const free = std::find_if(g_entries.begin(), g_entries.end(),
                                  [](const Entry& entry) { return entry.name[0] == '\0'; });
  if (free == g_entries.end() || !name.starts_with(g_prefix) || name.size() >= free->name.size()) {
    return nullptr;
  }
  free->name = {};
  name.copy(free->name.data(), name.size());
  free->file = file;
  return free;
}

void remove(Entry& entry) {
  if (entry.file != kFolder) {
    ::close(entry.file);
  }
  entry = Entry{};
}

/// The result as the kernel gives it: negative errno.
long errno_result(long result) {
  return result < 0 ? -errno : result;
}

/// All openings of a file share one position: the compiler has one at a time.
long open_entry(std::string_view name, greg_t flags) {
  Entry* entry = find(name);
  if (entry != nullptr && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
    return -EEXIST;
  }
  if (entry == nullptr && (flags & O_CREAT) != 0) {
    const int file = ::memfd_create("compiler", MFD_CLOEXEC);
    entry = file < 0 ? nullptr : add(name, file);
    if (entry == nullptr && file >= 0) {
      ::close(file);
    }
  }
  if (entry == nullptr || entry->file == kFolder) {
    return -ENOENT;
  }
  if ((flags & O_TRUNC) != 0 && ::ftruncate(entry->file, 0) != 0) {
    return -EIO;
  }
  ::lseek(entry->file, 0, SEEK_SET);
  return errno_result(::dup(entry->file));
}

long make_folder(std::string_view name) {
  if (find(name) != nullptr) {
    return -EEXIST;
  }
  return add(name, kFolder) == nullptr ? -EACCES : 0;
}

long unlink_file(std::string_view name) {
  Entry* entry = find(name);
  if (entry == nullptr) {
    return -ENOENT;
  }
  if (entry->file == kFolder) {
    return -EISDIR;
  }
  remove(*entry);
  return 0;
}

long remove_folder(std::string_view name) {
  Entry* entry = find(name);
  if (entry == nullptr || entry->file != kFolder) {
    return entry == nullptr ? -ENOENT : -ENOTDIR;
  }
  remove(*entry);
  return 0;
}

long rename_file(std::string_view from, std::string_view to) {
  Entry* source = find(from);
  if (source == nullptr || !to.starts_with(g_prefix) || to.size() >= source->name.size()) {
    return -ENOENT;
  }
  if (Entry* target = find(to); target != nullptr && target != source) {
    remove(*target);
  }
  source->name = {};
  to.copy(source->name.data(), to.size());
  return 0;
}

/// The compiler does without any folder but the one that it is in.
bool is_working_folder(std::string_view name) {
  return name == "." || name == "/";
}

long look_at_entry(std::string_view name, greg_t status) {
  const Entry* entry = find(name);
  if (entry == nullptr && !is_working_folder(name)) {
    return -ENOENT;
  }
  if (entry != nullptr && entry->file != kFolder) {
    return errno_result(::syscall(SYS_fstat, entry->file, status));
  }
  struct stat folder = {};
  folder.st_mode = S_IFDIR | S_IRWXU;
  folder.st_ino =
      entry == nullptr ? kMostEntries + 1 : static_cast<ino_t>(entry - g_entries.data()) + 1;
  folder.st_nlink = 2;
  std::memcpy(reinterpret_cast<void*>(status), &folder, sizeof folder);
  return 0;
}

long exists(std::string_view name, long found) {
  return find(name) == nullptr ? -ENOENT : found;
}

/// Reports success to the process, and changes nothing.
long keep_default_handlers(greg_t old_action) {
  constexpr std::size_t kKernelAction = 32;  // Handler, flags, restorer, mask.
  if (old_action != 0) {
    std::memset(reinterpret_cast<void*>(old_action), 0, kKernelAction);
  }
  return 0;
}

std::string_view name_of(greg_t pointer) {
  const char* text = reinterpret_cast<const char*>(pointer);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

long answer_call(int call, const greg_t* registers) {
  const greg_t first = registers[REG_RDI];
  const greg_t second = registers[REG_RSI];
  const greg_t third = registers[REG_RDX];
  switch (call) {
    case SYS_open:
      return open_entry(name_of(first), second);
    case SYS_openat:
      return open_entry(name_of(second), third);
    case SYS_mkdir:
      return make_folder(name_of(first));
    case SYS_unlink:
      return unlink_file(name_of(first));
    case SYS_rmdir:
      return remove_folder(name_of(first));
    case SYS_rename:
      return rename_file(name_of(first), name_of(second));
    case SYS_stat:
    case SYS_lstat:
      return look_at_entry(name_of(first), second);
    case SYS_newfstatat:
      // glibc's fstat() is this call with an empty path.
      return name_of(second).empty() ? errno_result(::syscall(SYS_fstat, first, third))
                                     : look_at_entry(name_of(second), third);
    case SYS_access:
      return exists(name_of(first), 0);
    case SYS_rt_sigaction:
      return keep_default_handlers(third);
    case SYS_readlink:
      return exists(name_of(first), -EINVAL);  // No links here.
    default:
      return -ENOENT;
  }
}

void on_file_call(int /*signal*/, siginfo_t* info, void* context) {
  const int kept = errno;
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RAX] = answer_call(info->si_syscall, registers);
  errno = kept;
}

}  // namespace

void install_memory_files(const char* prefix) {
  g_prefix = prefix;
  struct sigaction action = {};
  action.sa_sigaction = on_file_call;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
}

void clear_memory_files() {
  for (Entry& entry : g_entries) {
    if (entry.name[0] != '\0') {
      remove(entry);
    }
  }
}

}  // namespace ws
