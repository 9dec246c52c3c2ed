#include "runtime/device/cuda/worker/sandbox.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include <asm/sockios.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"

namespace ws::cuda {
namespace {

/// Gives the text that a process in the sandbox writes.
std::string said_inside(
    const std::function<std::string()>& act, const std::function<void()>& before = [] {},
    DriverCalls calls = DriverCalls::kListed) {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    before();
    const std::string said = enter_sandbox(calls) ? act() : "no sandbox";
    const ssize_t written = ::write(ends[1], said.data(), said.size());
    ::_exit(written < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  const Fd from(ends[0]);
  std::string said;
  char byte = 0;
  while (::read(from.get(), &byte, 1) == 1) {
    said += byte;
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return said;
}

/// "ok", or the error's name.
std::string outcome(long result) {
  return result >= 0 ? "ok" : ::strerrorname_np(errno);
}

struct CallCase {
  const char* name;
  std::function<long()> call;
};

}  // namespace

TEST_SUITE("cuda.sandbox") {
  TEST_CASE("a driver keeps its memory, files, waits and threads") {
    const CallCase cases[] = {
        {"mmap",
         [] {
           return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                         0) == MAP_FAILED
                      ? -1L
                      : 0L;
         }},
        {"memfd_create", [] { return static_cast<long>(::memfd_create("x", MFD_CLOEXEC)); }},
        {"eventfd", [] { return static_cast<long>(::eventfd(0, EFD_CLOEXEC)); }},
        {"openat", [] { return static_cast<long>(::open("/proc/self/maps", O_RDONLY)); }},
        {"prctl", [] { return static_cast<long>(::prctl(PR_SET_NAME, "named", 0, 0, 0)); }},
        {"getrlimit",
         [] {
           rlimit stack{};
           return static_cast<long>(::getrlimit(RLIMIT_STACK, &stack));
         }},
        {"clone for a thread",
         [] {
           long made = -1;
           std::thread([&made] { made = 0; }).join();
           return made;
         }},
        {"tgkill itself", [] { return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), 0); }},
    };
    for (const CallCase& one : cases) {
      CAPTURE(one.name);
      CHECK(said_inside([&one] { return outcome(one.call()); }) == "ok");
    }
  }

  TEST_CASE("all that a driver does not need is refused, and does not end the worker") {
    const CallCase cases[] = {
        {"fork", [] { return ::syscall(SYS_fork); }},
        {"clone for a process", [] { return ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }},
        {"execve", [] { return static_cast<long>(::execl("/bin/true", "true", nullptr)); }},
        {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
        {"process_vm_readv",
         [] {
           return static_cast<long>(::process_vm_readv(::getppid(), nullptr, 0, nullptr, 0, 0));
         }},
        {"kill", [] { return static_cast<long>(::kill(::getppid(), 0)); }},
        {"tgkill the parent", [] { return ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0); }},
        {"io_uring_setup", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }},
        {"socket of IP", [] { return static_cast<long>(::socket(AF_INET, SOCK_STREAM, 0)); }},
        {"socket of this machine",
         [] { return static_cast<long>(::socket(AF_UNIX, SOCK_STREAM, 0)); }},
        {"making a file",
         [] { return static_cast<long>(::open("/tmp/ws_none", O_WRONLY | O_CREAT, 0600)); }},
        {"emptying a file",
         [] { return static_cast<long>(::open("/dev/null", O_WRONLY | O_TRUNC)); }},
        {"unlink", [] { return static_cast<long>(::unlink("/tmp/ws_none")); }},
        {"prctl for its parent's death",
         [] { return static_cast<long>(::prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }},
        {"limits of others",
         [] { return static_cast<long>(::prlimit(::getppid(), RLIMIT_CPU, nullptr, nullptr)); }},
        {"userfaultfd", [] { return ::syscall(SYS_userfaultfd, 0); }},
        {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }},
    };
    for (const CallCase& one : cases) {
      CAPTURE(one.name);
      CHECK(said_inside([&one] { return outcome(one.call()); }) == "EPERM");
    }
  }

  TEST_CASE("no worker signals another process, and none has the kernel do so") {
    const pid_t other = ::getpid();
    constexpr std::size_t kHigh = std::size_t{1} << 32U;  // The kernel does not look at it.
    const CallCase cases[] = {
        {"kill", [=] { return static_cast<long>(::kill(other, 0)); }},
        {"tkill", [=] { return ::syscall(SYS_tkill, other, 0); }},
        {"tgkill", [=] { return ::syscall(SYS_tgkill, other, other, 0); }},
        {"rt_sigqueueinfo", [=] { return ::syscall(SYS_rt_sigqueueinfo, other, 0, nullptr); }},
        {"rt_tgsigqueueinfo",
         [=] { return ::syscall(SYS_rt_tgsigqueueinfo, other, other, 0, nullptr); }},
        {"pidfd_send_signal", [] { return ::syscall(SYS_pidfd_send_signal, -1, 0, nullptr, 0); }},
        {"F_SETOWN", [=] { return static_cast<long>(::fcntl(0, F_SETOWN, other)); }},
        {"F_SETOWN with more bits",
         [=] { return ::syscall(SYS_fcntl, 0, kHigh + F_SETOWN, other); }},
        {"F_SETOWN_EX",
         [=] {
           const f_owner_ex owner{F_OWNER_PID, other};
           return static_cast<long>(::fcntl(0, F_SETOWN_EX, &owner));
         }},
        {"F_SETSIG", [] { return static_cast<long>(::fcntl(0, F_SETSIG, SIGKILL)); }},
        {"FIOSETOWN", [=] { return static_cast<long>(::ioctl(0, FIOSETOWN, &other)); }},
        {"SIOCSPGRP", [=] { return ::syscall(SYS_ioctl, 0, kHigh + SIOCSPGRP, &other); }},
    };
    for (const DriverCalls calls : {DriverCalls::kListed, DriverCalls::kUnknown}) {
      for (const CallCase& one : cases) {
        CAPTURE(one.name);
        CHECK(said_inside([&one] { return outcome(one.call()); }, [] {}, calls) == "EPERM");
      }
    }
  }

  TEST_CASE("a driver keeps the orders for its devices and files") {
    CHECK(said_inside([] { return outcome(::ioctl(0, 0x30000001)); }) == "ENOTTY");  // NVIDIA UVM.
    for (const unsigned long type : {0x4600UL, 0x6400UL, 0x4b00UL, 0xc9464600UL, 0x8800UL}) {
      CAPTURE(type);
      CHECK(said_inside([=] { return outcome(::ioctl(0, type | 0x2aU)); }) == "ENOTTY");
    }
    CHECK(said_inside([] { return outcome(::fcntl(0, F_DUPFD_CLOEXEC, 0)); }) == "ok");
    CHECK(said_inside([] { return outcome(::fcntl(0, F_SETFL, 0)); }) == "ok");
    CHECK(said_inside([] { return outcome(::fcntl(0, F_SETFD, FD_CLOEXEC)); }) == "ok");
  }

  TEST_CASE("threads that the driver has started before are confined too") {
    static std::atomic<int> turn = 0;
    static std::string said;
    const auto before = [] {
      std::thread([] {
        while (turn != 1) {
          std::this_thread::yield();
        }
        said = outcome(::syscall(SYS_fork));
        turn = 2;
      }).detach();
    };
    const auto act = [] {
      turn = 1;
      while (turn != 2) {
        std::this_thread::yield();
      }
      return said;
    };
    CHECK(said_inside(act, before) == "EPERM");
  }
}

}  // namespace ws::cuda
