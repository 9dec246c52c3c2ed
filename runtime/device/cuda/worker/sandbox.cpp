#include "runtime/device/cuda/worker/sandbox.h"

#include <array>
#include <csignal>

#include <sys/prctl.h>
#include <sys/resource.h>

#include "runtime/device/cuda/worker/denied_calls.h"

namespace ws::cuda {
namespace {

/// The limit for all prints of kernels: see OutputCapture.
constexpr rlim_t kMaxFileBytes = rlim_t{16} << 20U;

/// Calls that change files: the driver only reads and writes those that are open.
constexpr std::array kFileCalls = {SCMP_SYS(socketpair), SCMP_SYS(unlink),   SCMP_SYS(unlinkat),
                                   SCMP_SYS(rename),     SCMP_SYS(renameat), SCMP_SYS(renameat2),
                                   SCMP_SYS(chmod),      SCMP_SYS(fchmodat), SCMP_SYS(truncate)};

}  // namespace

Status enter_sandbox() {
  const rlimit no_core{0, 0};
  const rlimit small_files{kMaxFileBytes, kMaxFileBytes};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_FSIZE, &small_files);
  std::signal(SIGXFSZ, SIG_IGN);  // A flood of prints is cut, not deadly.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_errno("prctl", "the sandbox cannot be entered");
  }
  const Filter filter = denying_filter();
  const bool ready = filter != nullptr && deny(filter, kProgramCalls) && deny(filter, kFileCalls);
  if (!ready || seccomp_load(filter.get()) != 0) {
    return fail(ErrorCode::kIo, "the sandbox cannot be entered",
                "this kernel needs seccomp; see `warpsmith doctor`", "seccomp_load");
  }
  return {};
}

}  // namespace ws::cuda
