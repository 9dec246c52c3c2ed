#include "runtime/device/cuda/worker/sandbox.h"

#include <array>
#include <csignal>
#include <memory>

#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace ws::cuda {
namespace {

/// The limit for all prints of kernels: see OutputCapture.
constexpr rlim_t kMaxFileBytes = rlim_t{16} << 20U;

constexpr std::array kDeniedCalls = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kill),
    SCMP_SYS(socket),
    SCMP_SYS(socketpair),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(chroot),
    SCMP_SYS(pivot_root),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(keyctl),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(rename),
    SCMP_SYS(renameat),
    SCMP_SYS(renameat2),
    SCMP_SYS(chmod),
    SCMP_SYS(fchmodat),
    SCMP_SYS(truncate),
};

struct FilterDeleter {
  void operator()(void* filter) const { seccomp_release(filter); }
};

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
  const std::unique_ptr<void, FilterDeleter> filter(seccomp_init(SCMP_ACT_ALLOW));
  bool ready = filter != nullptr;
  for (const int call : kDeniedCalls) {
    ready = ready && seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
  }
  if (!ready || seccomp_load(filter.get()) != 0) {
    return fail(ErrorCode::kIo, "the sandbox cannot be entered",
                "this kernel needs seccomp; see `warpsmith doctor`", "seccomp_load");
  }
  return {};
}

}  // namespace ws::cuda
