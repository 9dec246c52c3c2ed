// Tests of what a sandboxed process can still do: each attempt in a child of its own.
#include "runtime/device/cpu/sandbox.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ws::cpu {
namespace {

constexpr int kDone = 0;    ///< The attempt succeeded.
constexpr int kDenied = 1;  ///< It failed, with EPERM or ENOSYS or EACCES.
constexpr int kOther = 2;   ///< It failed for another reason.
constexpr int kNoSandbox = 3;

int verdict(bool done) {
  if (done) {
    return kDone;
  }
  return errno == EPERM || errno == ENOSYS || errno == EACCES ? kDenied : kOther;
}

/// The outcome of `attempt` in a child, inside the sandbox or not.
int in_child(bool sandboxed, const std::function<bool()>& attempt) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (sandboxed && !enter_sandbox({})) {
      ::_exit(kNoSandbox);
    }
    ::_exit(verdict(attempt()));
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool try_fork() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(0);
  }
  return child > 0;
}

bool try_execute() {
  char name[] = "true";
  char* arguments[] = {name, nullptr};
  char* environment[] = {nullptr};
  ::execve("/bin/true", arguments, environment);
  return false;
}

bool try_thread() {
  int seen = 0;
  std::thread([&] { seen = 1; }).join();
  return seen == 1;
}

void* map(int protection) {
  return ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

struct Attempt {
  const char* name;
  bool (*attempt)();
  bool works_outside;  ///< Without the sandbox, so that the denial is its doing.
};

constexpr Attempt kDeniedAttempts[] = {
    {"fork", try_fork, true},
    {"open a file to read", [] { return ::open("/etc/passwd", O_RDONLY) >= 0; }, true},
    {"make a file", [] { return ::open("/tmp", O_TMPFILE | O_WRONLY, 0600) >= 0; }, true},
    {"socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }, true},
    {"local socket", [] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }, true},
    {"execve", try_execute, false},  // Outside it does not come back.
    {"signal the parent", [] { return ::kill(::getppid(), 0) == 0; }, true},
    {"signal a thread of the parent",
     [] { return ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0) == 0; }, true},
    {"trace the parent", [] { return ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr) == 0; },
     false},
    {"memory for new code", [] { return map(PROT_READ | PROT_EXEC) != MAP_FAILED; }, true},
    {"make memory executable",
     [] { return ::mprotect(map(PROT_READ), 4096, PROT_READ | PROT_EXEC) == 0; }, true},
    {"wake itself when it is stopped",
     [] { return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), SIGCONT) == 0; }, true},
    {"another memory file", [] { return ::memfd_create("x", 0) >= 0; }, true},
};

}  // namespace

TEST_SUITE("device.cpu.sandbox") {
  TEST_CASE("files, processes, sockets and new code are out of reach") {
    for (const Attempt& c : kDeniedAttempts) {
      CAPTURE(std::string(c.name));
      CHECK(in_child(true, c.attempt) == kDenied);
      if (c.works_outside) {
        CHECK(in_child(false, c.attempt) == kDone);
      }
    }
  }

  TEST_CASE("what a launch needs still works: threads, memory, the open socket") {
    CHECK(in_child(true, try_thread) == kDone);
    ::signal(SIGUSR1, SIG_IGN);
    CHECK(in_child(true, [] {
            return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), SIGUSR1) == 0;
          }) == kDone);
    ::signal(SIGUSR1, SIG_DFL);
    CHECK(in_child(true, [] { return map(PROT_READ | PROT_WRITE) != MAP_FAILED; }) == kDone);
    int pair[2] = {-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(in_child(true, [&] { return ::write(pair[1], "x", 1) == 1; }) == kDone);
    ::close(pair[0]);
    ::close(pair[1]);
  }

#if defined(__x86_64__)
  TEST_CASE("a thread that calls the system by another number scheme ends the process") {
    const auto attempt = [] {
      ::signal(SIGSEGV, SIG_DFL);  // Not the test program's own handler.
      std::thread([] {
        constexpr int kGetPid = 20;  // The number in 32-bit programs.
        int result = kGetPid;
        __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
      }).join();
      return true;
    };
    if (in_child(false, attempt) == 128 + SIGSEGV) {
      MESSAGE("left out: this kernel has no calls of 32-bit programs");
      return;
    }
    CHECK(in_child(true, attempt) == 128 + SIGSYS);
  }
#endif

  TEST_CASE("a process that is copied may go on for ever, and others for ten minutes") {
    const auto seconds = [](bool for_copies, rlim_t limit) {
      return in_child(false, [=] {
        rlimit now{};
        return prepare_sandbox({.for_copies = for_copies}) && ::getrlimit(RLIMIT_CPU, &now) == 0 &&
               now.rlim_cur == limit;
      });
    };
    CHECK(seconds(true, RLIM_INFINITY) == kDone);
    CHECK(seconds(false, 600) == kDone);
  }

  TEST_CASE("memory ends at the limit") {
    const auto grab = [](std::uint64_t limit) {
      return in_child(false, [limit] {
        if (!enter_sandbox({.memory_bytes = limit})) {
          return false;
        }
        constexpr std::size_t kTooMuch = std::size_t{1} << 40U;
        const bool refused =
            ::mmap(nullptr, kTooMuch, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                   0) == MAP_FAILED;
        return refused && errno == ENOMEM;
      });
    };
#if !defined(__SANITIZE_ADDRESS__)
    CHECK(grab(std::uint64_t{1} << 32U) == kDone);
#endif
  }
}

}  // namespace ws::cpu
