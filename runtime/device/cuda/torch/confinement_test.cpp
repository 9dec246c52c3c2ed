#include "runtime/device/cuda/torch/confinement.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/temp_folder.h"
#include "runtime/device/cpu/sandbox.h"

namespace ws::cuda {
namespace {

/// Whether `action` succeeds in a process that is confined to `scratch`.
bool confined(const std::string& scratch, const std::function<bool()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Status entered = confine_files({.interpreter = "/usr/bin/python3", .scratch = scratch});
    ::_exit(entered && action() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Whether `action` succeeds in a process with the filter of a module.
bool filtered(bool compiles, const std::function<bool()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<Fd> filter = module_filter(compiles);
    std::array<sock_filter, 1024> rules{};
    const ssize_t bytes =
        filter ? ::pread(filter->get(), rules.data(), sizeof rules, 0) : ssize_t{-1};
    const sock_fprog program{static_cast<unsigned short>(bytes / ssize_t{sizeof(sock_filter)}),
                             rules.data()};
    const bool set = bytes > 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                     ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
    ::_exit(set ? (action() ? 0 : 1) : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) != 2);
  return WEXITSTATUS(status) == 0;
}

bool can_write(const std::filesystem::path& path) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  return file != nullptr && std::fclose(file) == 0;
}

bool can_read(const std::filesystem::path& path) {
  std::FILE* const file = std::fopen(path.c_str(), "r");
  return file != nullptr && std::fclose(file) == 0;
}

}  // namespace

TEST_SUITE("device.cuda.confinement") {
  TEST_CASE("a module's process reads the system, and writes only to its own folder") {
    if (cpu::landlock_abi() == 0) {
      MESSAGE("left out: the confinement of modules (this kernel has no landlock)");
      return;
    }
    const auto scratch = TempFolder::make();
    const auto other = TempFolder::make();
    REQUIRE(scratch.has_value());
    REQUIRE(other.has_value());
    const std::filesystem::path own = (*scratch)->path();
    const std::filesystem::path theirs = (*other)->path() / "file";
    REQUIRE(can_write(theirs));
    CHECK(confined(own, [&] { return can_write(own / "file"); }));
    CHECK(confined(own, [] { return can_read("/usr/bin/python3"); }));
    CHECK(confined(own, [] { return can_read("/proc/self/maps"); }));
    CHECK(confined(own, [] { return can_write("/dev/null"); }));
    CHECK_FALSE(confined(own, [&] { return can_read(theirs); }));
    CHECK_FALSE(confined(own, [&] { return can_write(theirs); }));
    CHECK_FALSE(confined(own, [] { return can_read("/etc/passwd"); }));
    CHECK_FALSE(confined(own, [] { return can_read("/proc/1/environ"); }));
  }

  TEST_CASE("a module's process signals, limits and reaches nobody else") {
    const pid_t test = ::getpid();
    rlimit limit{};
    CHECK(filtered(false, [] { return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), 0) == 0; }));
    CHECK(filtered(false, [&] { return ::getrlimit(RLIMIT_CPU, &limit) == 0; }));
    CHECK_FALSE(filtered(false, [&] { return ::kill(test, 0) == 0; }));
    CHECK_FALSE(filtered(false, [&] { return ::syscall(SYS_tgkill, test, test, 0) == 0; }));
    CHECK_FALSE(filtered(false, [&] { return ::syscall(SYS_tkill, test, 0) == 0; }));
    CHECK(filtered(false, [] { return ::fcntl(0, F_GETFD) >= 0; }));
    CHECK_FALSE(filtered(false, [&] { return ::fcntl(0, F_SETOWN, test) == 0; }));
    CHECK_FALSE(filtered(false, [&] { return ::prlimit(test, RLIMIT_CPU, nullptr, &limit) == 0; }));
    CHECK_FALSE(filtered(false, [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }));
    const auto run = [] { return ::execl("/bin/true", "true", nullptr) == 0; };
    CHECK_FALSE(filtered(false, run));
    CHECK(filtered(true, run));
  }

  TEST_CASE("a compiler may move what it made into another folder") {
    if (cpu::landlock_abi() < 2) {
      MESSAGE("left out: moves between folders (landlock's second ABI is not here)");
      return;
    }
    const auto scratch = TempFolder::make();
    REQUIRE(scratch.has_value());
    const std::filesystem::path own = (*scratch)->path();
    CHECK(confined(own, [&] {
      return std::filesystem::create_directory(own / "made") && can_write(own / "made/code.so") &&
             std::rename((own / "made/code.so").c_str(), (own / "code.so").c_str()) == 0;
    }));
    CHECK(can_read(own / "code.so"));
  }
}

}  // namespace ws::cuda
