#include "runtime/device/cpu/sandbox.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/files.h"

namespace ws::cpu {
namespace {

constexpr std::uint64_t kMostOpenFiles = 64;

/// Every right of landlock's first ABI: reading, writing, executing, making and removing files.
constexpr std::uint64_t kAllFileRights = 0x1fff;

constexpr std::array kAllowedCalls = {
    SCMP_SYS(sendmsg),        SCMP_SYS(recvmsg),
    SCMP_SYS(read),           SCMP_SYS(write),
    SCMP_SYS(munmap),         SCMP_SYS(mremap),
    SCMP_SYS(madvise),        SCMP_SYS(brk),
    SCMP_SYS(futex),          SCMP_SYS(exit),
    SCMP_SYS(exit_group),     SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack),
    SCMP_SYS(clock_gettime),  SCMP_SYS(sched_yield),
    SCMP_SYS(getpid),         SCMP_SYS(gettid),
    SCMP_SYS(close),          SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),           SCMP_SYS(sched_getaffinity),
    SCMP_SYS(pause),          SCMP_SYS(restart_syscall),
};

/// For a process that reads files: calls on open files and on the name of the current folder.
constexpr std::array kReaderCalls = {SCMP_SYS(fstat), SCMP_SYS(lseek), SCMP_SYS(getcwd)};

/// For a process that reads files: calls that name a file outside its folder.
constexpr std::array kNamingCalls = {SCMP_SYS(open),   SCMP_SYS(stat),     SCMP_SYS(lstat),
                                     SCMP_SYS(access), SCMP_SYS(readlink), SCMP_SYS(statx),
                                     SCMP_SYS(unlink)};

/// On the scratch files only.
constexpr std::array kScratchCalls = {SCMP_SYS(dup), SCMP_SYS(ftruncate)};

/// For a process that makes files in memory: calls on open files.
constexpr std::array kMemoryFileCalls = {
    SCMP_SYS(memfd_create), SCMP_SYS(fstat),    SCMP_SYS(lseek),    SCMP_SYS(dup),
    SCMP_SYS(ftruncate),    SCMP_SYS(pread64),  SCMP_SYS(pwrite64), SCMP_SYS(fallocate),
    SCMP_SYS(getcwd),       SCMP_SYS(getrandom)};

/// Further calls that name a file.
constexpr std::array kMakingCalls = {SCMP_SYS(openat), SCMP_SYS(newfstatat), SCMP_SYS(mkdir),
                                     SCMP_SYS(rmdir), SCMP_SYS(rename)};

constexpr std::uint64_t kLastSeconds = 5;

void limit(__rlimit_resource_t resource, std::uint64_t value) {
  const rlimit both{value, value};
  ::setrlimit(resource, &both);
}

/// Those of them that change a file or the tree.
constexpr std::uint64_t kWritingRights =
    kAllFileRights & ~std::uint64_t{LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                    LANDLOCK_ACCESS_FS_READ_DIR};

/// Denies these rights on every file but those below `readable_folder`; where the kernel has no
/// landlock, seccomp alone does.
void deny_files(std::uint64_t rights, int readable_folder) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = rights;
  const Fd rules(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0)));
  if (rules.valid()) {
    if (readable_folder >= 0) {
      landlock_path_beneath_attr below{};
      below.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
      below.parent_fd = readable_folder;
      ::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    }
    ::syscall(SYS_landlock_restrict_self, rules.get(), 0);
  }
}

struct FilterDeleter {
  void operator()(void* filter) const { seccomp_release(filter); }
};

int add_reader_rules(void* filter, const SandboxLimits& limits) {
  const auto descriptor = static_cast<scmp_datum_t>(limits.readable_folder);
  int failed = 0;
  for (const int file : limits.scratch_files) {
    const auto scratch = static_cast<scmp_datum_t>(file);
    for (const int call : kScratchCalls) {
      failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A0(SCMP_CMP_EQ, scratch));
    }
  }
  for (const int call : kReaderCalls) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  }
  for (const int call : kNamingCalls) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_TRAP, call, 0);
  }
  for (const int call : {SCMP_SYS(openat), SCMP_SYS(newfstatat)}) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_TRAP, call, 1, SCMP_A0(SCMP_CMP_NE, descriptor));
  }
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 2,
                             SCMP_A0(SCMP_CMP_EQ, descriptor),
                             SCMP_A2(SCMP_CMP_EQ, O_RDONLY | O_CLOEXEC));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
                             SCMP_A0(SCMP_CMP_EQ, descriptor));
  return failed;
}

int add_memory_file_rules(void* filter) {
  int failed = 0;
  for (const int call : kMemoryFileCalls) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  }
  for (const int call : kNamingCalls) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_TRAP, call, 0);
  }
  for (const int call : kMakingCalls) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_TRAP, call, 0);
  }
  // A compiler guards itself against signals; here it is to die of them.
  failed |= seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(rt_sigaction), 0);
  return failed;
}

int add_rules(void* filter, const SandboxLimits& limits) {
  // A call by another number scheme ends the process, not just its thread: the others would wait.
  int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // A library may have started threads, which run foreign code too.
  failed |= seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  for (const int call : kAllowedCalls) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  }
  // abort() signals its own thread, and a stop is passed on to one that runs a kernel. No other
  // signal: a process that stands still must not be able to wake itself.
  const scmp_arg_cmp ourselves = SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()));
  for (const int signal : {SIGABRT, SIGUSR1}) {
    const std::array compared = {SCMP_A2(SCMP_CMP_EQ, static_cast<scmp_datum_t>(signal)),
                                 ourselves};
    failed |= seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
                                     limits.for_copies ? 1 : 2, compared.data());
  }
  // Memory yes, new code mostly not: what runs was loaded before.
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, limits.new_code ? 0 : 1,
                               SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  }
  // Threads yes, processes no; glibc falls back from clone3 to clone.
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  if (limits.memory_files) {
    failed |= add_memory_file_rules(filter);
  }
  return limits.readable_folder < 0 ? failed : failed | add_reader_rules(filter, limits);
}

/// Gives up for ever all rights that a process with foreign code must not have.
Status give_up(const SandboxLimits& limits, std::uint64_t file_rights) {
  limit(RLIMIT_CORE, 0);
  ::signal(SIGXFSZ, SIG_IGN);  // A file that grows too large is an error of write().
  limit(RLIMIT_FSIZE, limits.scratch_bytes);
  // Past the first one the system sends SIGXCPU, past the second one SIGKILL, which would look like
  // somebody else's doing.
  if (!limits.for_copies) {
    const rlimit processor{limits.cpu_seconds, limits.cpu_seconds + kLastSeconds};
    ::setrlimit(RLIMIT_CPU, &processor);
  }
  if (limits.memory_files) {
    limit(RLIMIT_NOFILE, kMostOpenFiles);
  }
  if (limits.memory_bytes != 0) {
    limit(RLIMIT_AS, limits.memory_bytes);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_errno("prctl", "the sandbox cannot be entered");
  }
  deny_files(file_rights, limits.readable_folder);
  return {};
}

}  // namespace

int landlock_abi() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

Status enter_sandbox(const SandboxLimits& limits) {
  WS_CHECK(give_up(limits, kAllFileRights));
  const std::unique_ptr<void, FilterDeleter> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!filter || add_rules(filter.get(), limits) != 0 || seccomp_load(filter.get()) != 0) {
    return fail(ErrorCode::kIo, "the sandbox cannot be entered",
                "this kernel needs seccomp; see `warpsmith doctor`", "seccomp_load");
  }
  return {};
}

Result<Fd> prepare_sandbox(const SandboxLimits& limits) {
  Fd file(::memfd_create("filter", MFD_CLOEXEC));
  const std::unique_ptr<void, FilterDeleter> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!file.valid() || !filter || add_rules(filter.get(), limits) != 0 ||
      seccomp_export_bpf(filter.get(), file.get()) != 0) {
    return fail_errno("seccomp_export_bpf", "the sandbox cannot be prepared");
  }
  WS_CHECK(give_up(limits, kWritingRights));
  return file;
}

}  // namespace ws::cpu
