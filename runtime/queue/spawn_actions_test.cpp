#include "runtime/queue/spawn_actions.h"

#include <array>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"

namespace ws {
namespace {

constexpr const char* kShell = "/bin/sh";

/// Its exit status; -1: it did not exit.
int status_of(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_SUITE("queue.spawn_actions") {
  TEST_CASE("a process has the descriptors that it was given and no other") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    const Fd open_by_mistake(
        ::open("/dev/null", O_RDONLY));  // NOLINT: without O_CLOEXEC on purpose.
    SpawnActions actions;
    actions.open_nothing(STDIN_FILENO);
    actions.duplicate(write_end.get(), STDOUT_FILENO);
    actions.close_from(STDERR_FILENO + 1);
    // The shell itself opens none for this.
    const std::string script = "[ -e /proc/self/fd/" + std::to_string(open_by_mistake.get()) +
                               " ] && echo leaked; read -r line || echo \"$0\"";
    const Result<pid_t> pid = actions.start(kShell, {"sh", "-c", script, "name"}, "not started");
    REQUIRE(pid.has_value());
    CHECK(status_of(*pid) == 0);
    write_end.reset();
    std::array<char, 64> text{};
    const ssize_t length = ::read(read_end.get(), text.data(), text.size());
    REQUIRE(length >= 0);
    CHECK(std::string(text.data(), static_cast<std::size_t>(length)) == "name\n");
  }

  TEST_CASE("nothing is started when descriptors could not be arranged") {
    struct Case {
      void (*arrange)(SpawnActions& actions);
      const char* call;
    };

    const Case cases[] = {
        {[](SpawnActions& actions) { actions.close_from(-1); },
         "posix_spawn_file_actions_addclosefrom_np"},
        {[](SpawnActions& actions) { actions.duplicate(-1, 3); },
         "posix_spawn_file_actions_adddup2"},
        {[](SpawnActions& actions) { actions.open_nothing(-1); },
         "posix_spawn_file_actions_addopen"},
    };
    for (const Case& c : cases) {
      SpawnActions actions;
      c.arrange(actions);
      actions.close_from(STDERR_FILENO + 1);
      const Result<pid_t> pid = actions.start(kShell, {"sh", "-c", "exit 0"}, "cannot start it");
      REQUIRE_FALSE(pid.has_value());
      CHECK(pid.error().message == "cannot start it");
      CHECK(pid.error().source == std::string(c.call) + ": Bad file descriptor");
    }
  }

  TEST_CASE("a program that is not there is an error") {
    SpawnActions actions;
    const Result<pid_t> pid = actions.start("/no/such/program", {"program"}, "cannot start it");
    REQUIRE_FALSE(pid.has_value());
    CHECK(to_text(pid.error()) == "io: cannot start it (posix_spawn: No such file or directory)");
  }
}

}  // namespace ws
