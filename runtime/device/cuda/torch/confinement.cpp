#include "runtime/device/cuda/torch/confinement.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/device/cuda/worker/denied_calls.h"

namespace ws::cuda {
namespace {

/// Every right of landlock's first ABI.
constexpr std::uint64_t kAllRights = 0x1fff;
constexpr std::uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kDevice = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr rlim_t kMaxFileBytes = rlim_t{1} << 30U;

/// Programs and libraries; what the loader, a compiler and the driver look up.
constexpr std::array kReadable = {"/usr",  "/lib", "/lib64",           "/bin",
                                  "/sbin", "/opt", "/etc/ld.so.cache", "/etc/alternatives",
                                  "/proc", "/sys", "/dev/urandom",     "/etc/localtime"};

/// Python code can make any call: it sends no signals, and asks for no work behind the filter.
constexpr std::array kForeignCalls = {SCMP_SYS(pidfd_send_signal), SCMP_SYS(tkill),
                                      SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo),
                                      SCMP_SYS(io_uring_setup)};

/// Refuses such a call where its first argument is not `own`.
bool deny_for_others(const Filter& filter, int call, int own) {
  return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 1,
                          SCMP_A0(SCMP_CMP_NE, static_cast<scmp_datum_t>(own))) == 0;
}

/// A path that is not there needs no rule.
void allow(const Fd& rules, const std::filesystem::path& path, std::uint64_t rights) {
  const Fd at(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!at.valid()) {
    return;
  }
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  landlock_path_beneath_attr below{};
  below.allowed_access =
      folder ? rights : rights & (kReading | kDevice) & ~std::uint64_t{LANDLOCK_ACCESS_FS_READ_DIR};
  below.parent_fd = at.get();
  ::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &below, 0);
}

void allow_devices(const Fd& rules) {
  allow(rules, "/dev/null", kDevice);
  std::error_code error;
  for (std::filesystem::directory_iterator at("/dev", error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().string().starts_with("nvidia")) {
      allow(rules, at->path(), kDevice | kReading);
    }
  }
}

/// The folder above `bin`, as it is named and as it is.
void allow_interpreter(const Fd& rules, const std::filesystem::path& interpreter) {
  std::error_code error;
  for (const std::filesystem::path& path :
       {interpreter, std::filesystem::canonical(interpreter, error)}) {
    if (path.has_parent_path() && path.parent_path().has_parent_path() &&
        path.parent_path().filename() == "bin") {
      allow(rules, path.parent_path().parent_path(), kReading);
    }
  }
}

}  // namespace

Status confine_files(const TorchStart& start) {
  // Compilers rename what they made into another folder, which the first ABI denies everywhere.
  const bool renames =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 2;
  const std::uint64_t all = kAllRights | (renames ? LANDLOCK_ACCESS_FS_REFER : std::uint64_t{0});
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = all;
  const Fd rules(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0)));
  if (!rules.valid()) {
    return fail(ErrorCode::kUnsupported,
                "this kernel has no landlock, without which a module would see the user's files",
                "use a kernel of 5.13 or newer with landlock; `warpsmith doctor` shows it");
  }
  for (const char* path : kReadable) {
    allow(rules, path, kReading);
  }
  allow(rules, "/proc/self", kReading | kDevice);  // The driver names its threads there.
  allow_interpreter(rules, start.interpreter);
  allow_devices(rules);
  allow(rules, start.scratch, all);
  const rlimit no_core{0, 0};
  const rlimit files{kMaxFileBytes, kMaxFileBytes};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_FSIZE, &files);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0) {
    return fail_errno("landlock_restrict_self", "the sandbox cannot be entered");
  }
  return {};
}

Result<Fd> module_filter(bool compiles) {
  Fd file(::memfd_create("filter", MFD_CLOEXEC));
  const Filter filter = denying_filter();
  // abort() signals its own process, which keeps its number when it becomes the interpreter.
  const bool ready = file.valid() && filter != nullptr && deny(filter, kForeignCalls) &&
                     deny_for_others(filter, SCMP_SYS(tgkill), ::getpid()) &&
                     deny_for_others(filter, SCMP_SYS(prlimit64), 0) &&
                     (compiles || deny(filter, kProgramCalls));
  if (!ready || seccomp_export_bpf(filter.get(), file.get()) != 0) {
    return fail_errno("seccomp_export_bpf", "the sandbox cannot be prepared");
  }
  return file;
}

}  // namespace ws::cuda
