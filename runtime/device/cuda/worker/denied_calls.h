// The part of a seccomp filter that all workers on a GPU have in common: the driver keeps what it
// needs, whatever that is, and the calls below are refused.
#pragma once

#include <array>
#include <memory>
#include <span>

#include <seccomp.h>

#include "runtime/base/result.h"

namespace ws::cuda {

struct FilterDeleter {
  void operator()(void* filter) const { seccomp_release(filter); }
};

using Filter = std::unique_ptr<void, FilterDeleter>;

/// Calls that look into other processes, signal them, reach a network, or change what the process
/// sees of the machine.
inline constexpr std::array kDeniedCalls = {
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(socket),
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
};

/// Calls that start programs.
inline constexpr std::array kProgramCalls = {SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork),
                                             SCMP_SYS(vfork)};

/// The part of the second argument of fcntl() and ioctl() that the kernel reads.
inline constexpr scmp_datum_t kOrderBits = 0xffffffffU;

/// A filter that allows all but kDeniedCalls, and the orders by which the kernel would signal
/// another process for this one. tgkill() reaches the process that calls this, which keeps its
/// number when it becomes another program. Null: libseccomp failed.
Filter denying_filter();

/// The filter holds from now on, irrevocably. @errors kIo: the kernel of this machine has no
/// seccomp.
Status enter(const Filter& filter);

/// Refuses further calls with EPERM. @return Whether all rules were added.
bool deny(const Filter& filter, std::span<const int> calls);

/// Refuses such a call where its first argument is not `own`. @return Whether the rule was added.
bool deny_for_others(const Filter& filter, int call, int own);

}  // namespace ws::cuda
