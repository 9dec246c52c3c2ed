#include "runtime/device/cuda/worker/sandbox.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>

#include <sys/prctl.h>
#include <sys/resource.h>

#include "runtime/device/cuda/worker/denied_calls.h"
#include "runtime/device/cuda/worker/gpu_calls.h"

namespace ws::cuda {
namespace {

/// The limit for all prints of kernels: see OutputCapture.
constexpr rlim_t kMaxFileBytes = rlim_t{16} << 20U;

/// Calls that change files: the driver only reads and writes those that are open.
constexpr std::array kFileCalls = {SCMP_SYS(socketpair), SCMP_SYS(unlink),   SCMP_SYS(unlinkat),
                                   SCMP_SYS(rename),     SCMP_SYS(renameat), SCMP_SYS(renameat2),
                                   SCMP_SYS(chmod),      SCMP_SYS(fchmodat), SCMP_SYS(truncate)};

/// They ask for calls that no filter sees.
constexpr std::array kRingCalls = {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
                                   SCMP_SYS(io_uring_register)};

/// For a driver whose calls are not known. Null: libseccomp failed.
Filter unlisted_filter() {
  Filter filter = denying_filter();
  const bool ready = filter != nullptr && deny(filter, kProgramCalls) && deny(filter, kFileCalls) &&
                     deny(filter, kRingCalls);
  return ready ? std::move(filter) : Filter();
}

/// Programs and libraries are read, the devices of GPUs written; where the kernel has no landlock
/// the filter alone confines.
Status confine_to_devices() {
  const Result<FileRules> rules = FileRules::begin();
  if (!rules) {
    return {};
  }
  rules->allow_system();
  rules->allow("/proc/self", FileUse::kDevice);  // The driver names its threads there.
  allow_gpus(*rules);
  return rules->enter();
}

}  // namespace

void allow_gpus(const FileRules& rules) {
  std::error_code error;
  for (std::filesystem::directory_iterator at("/dev", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    if (name.starts_with("nvidia") || name == "kfd" || name == "dri") {
      rules.allow(at->path(), FileUse::kDevice);
    }
  }
}

Status enter_sandbox(DriverCalls calls) {
  const rlimit no_core{0, 0};
  const rlimit small_files{kMaxFileBytes, kMaxFileBytes};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_FSIZE, &small_files);
  std::signal(SIGXFSZ, SIG_IGN);  // A flood of prints is cut, not deadly.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_errno("prctl", "the sandbox cannot be entered");
  }
  WS_CHECK(confine_to_devices());
  return enter(calls == DriverCalls::kListed ? gpu_filter() : unlisted_filter());
}

}  // namespace ws::cuda
