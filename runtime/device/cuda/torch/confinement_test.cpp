#include "runtime/device/cuda/torch/confinement.h"

#include <cstdio>
#include <filesystem>
#include <functional>

#include <doctest/doctest.h>
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
