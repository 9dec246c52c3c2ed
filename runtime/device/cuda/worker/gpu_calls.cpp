#include "runtime/device/cuda/worker/gpu_calls.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace ws::cuda {
namespace {

/// The calls that are allowed whatever their arguments are.
constexpr std::array kGpuCalls = {
    // Memory. Libraries are opened late, too: a driver compiles PTX by one.
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise),
    SCMP_SYS(brk), SCMP_SYS(msync), SCMP_SYS(mincore), SCMP_SYS(mlock), SCMP_SYS(mlock2),
    SCMP_SYS(munlock), SCMP_SYS(membarrier), SCMP_SYS(memfd_create), SCMP_SYS(ftruncate),
    SCMP_SYS(fallocate), SCMP_SYS(mbind), SCMP_SYS(get_mempolicy), SCMP_SYS(set_mempolicy),
    // Files and devices that are open.
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64),
    SCMP_SYS(pwrite64), SCMP_SYS(preadv), SCMP_SYS(pwritev), SCMP_SYS(lseek), SCMP_SYS(close),
    SCMP_SYS(close_range), SCMP_SYS(flock), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3),
    SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(fadvise64),
    // Names of files; landlock says which may be used.
    SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents),
    SCMP_SYS(getdents64), SCMP_SYS(getcwd),
    // Waiting.
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(epoll_create),
    SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_pwait2), SCMP_SYS(eventfd), SCMP_SYS(eventfd2), SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_settime), SCMP_SYS(timerfd_gettime), SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(pause), SCMP_SYS(restart_syscall),
    // Threads, their locks and their places.
    SCMP_SYS(futex), SCMP_SYS(futex_waitv), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list),
    SCMP_SYS(set_tid_address), SCMP_SYS(rseq), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min), SCMP_SYS(getcpu), SCMP_SYS(getpriority), SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    // Signals of its own.
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack),
    // The time, the process and the machine.
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(times), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid), SCMP_SYS(getpgrp),
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getresuid),
    SCMP_SYS(getresgid), SCMP_SYS(getgroups), SCMP_SYS(capget), SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage), SCMP_SYS(getrandom), SCMP_SYS(uname), SCMP_SYS(sysinfo),
    SCMP_SYS(arch_prctl),
    // The socket to the server.
    SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(recvfrom), SCMP_SYS(shutdown),
    SCMP_SYS(getsockopt)};

/// Where the first argument names a process or a thread: the caller only.
constexpr std::array kCallsOnItself = {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity),
                                       SCMP_SYS(sched_setscheduler)};

/// Flags of open() that make a file, or empty one.
constexpr scmp_datum_t kMakingFlags = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

/// The orders of fcntl() but those that name a process to be signalled.
constexpr std::array kFileOrders = {F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,
                                    F_GETFL,     F_SETFL,         F_GETLK,      F_SETLK,
                                    F_SETLKW,    F_OFD_GETLK,     F_OFD_SETLK,  F_OFD_SETLKW,
                                    F_ADD_SEALS, F_GET_SEALS,     F_GETPIPE_SZ, F_SETPIPE_SZ};

/// ioctl() is how a driver talks to its device. All types of orders but that of sockets, which can
/// name a process to be signalled: each rule takes those that differ from it first in one bit.
int add_device_orders(void* filter) {
  constexpr scmp_datum_t kSockets = 0x8900;  // The type of FIOSETOWN and SIOCSPGRP.
  int failed = 0;
  for (scmp_datum_t bit = 0x8000; bit >= 0x0100; bit >>= 1U) {
    const scmp_datum_t mask = 0xff00U & ~(bit - 1);
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                               SCMP_A1(SCMP_CMP_MASKED_EQ, mask, (kSockets ^ bit) & mask));
  }
  return failed;
}

int add_narrow_rules(void* filter) {
  int failed = add_device_orders(filter);
  for (const int order : kFileOrders) {
    failed |=
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                         SCMP_A1(SCMP_CMP_MASKED_EQ, kOrderBits, static_cast<scmp_datum_t>(order)));
  }
  for (const int call : kCallsOnItself) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A0(SCMP_CMP_EQ, 0));
  }
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
                             SCMP_A1(SCMP_CMP_MASKED_EQ, kMakingFlags, 0));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                             SCMP_A2(SCMP_CMP_MASKED_EQ, kMakingFlags, 0));
  for (const int order : {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE}) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                               SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(order)));
  }
  // abort(), and signals between its threads.
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                             SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid())));
  // Threads yes, processes no; glibc falls back from clone3 to clone.
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  return failed | seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

}  // namespace

Filter gpu_filter() {
  Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (filter == nullptr) {
    return {};
  }
  // A call by another number scheme ends the process.
  int failed = seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // The driver has started threads, which could be made to call in the place of this one.
  failed |= seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  for (const int call : kGpuCalls) {
    failed |= seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0);
  }
  failed |= add_narrow_rules(filter.get());
  return failed == 0 ? std::move(filter) : Filter();
}

}  // namespace ws::cuda
