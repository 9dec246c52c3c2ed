// A backend whose run workers are impostors: whatever they send, the server answers.
#include "runtime/device/cpu/cpu_backend.h"

#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/test_folder.h"
#include "runtime/base/files.h"

namespace ws {

TEST_SUITE("device.cpu.backend") {
  /// A shell script in place of the worker; descriptor 3 is its socket.
  std::string impostor(const TestFolder& folder, const std::string& script) {
    const std::filesystem::path path = folder.path() / "worker.sh";
    REQUIRE(write_file(path, "#!/bin/sh\n" + script).has_value());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }

  std::shared_ptr<Arena> small_arena() {
    const auto arena = Arena::create({}, 1 << 20U);
    REQUIRE(arena.has_value());
    return *arena;
  }

  /// An empty ready frame, then waits for the doorbell's first byte after the load frame is thrown
  /// away: the impostor cannot parse, so it just waits a little.
  const std::string kLoaded = "printf '\\0\\0\\0\\0' >&3\nsleep 0.2\n";

  struct Row {
    const char* name;
    const char* reply;
    RunOutcome::End end;
    int signal;
  };

  const Row kReplies[] = {
      {"no reply at all", "exit 0\n", RunOutcome::End::kDied, 0},
      {"killed", "kill -9 $$\n", RunOutcome::End::kDied, 9},
      {"a frame of the wrong size", "printf '\\003\\0\\0\\0abc' >&3\nsleep 5\n",
       RunOutcome::End::kDied, 0},
      {"a giant frame", "printf '\\377\\377\\377\\377' >&3\nsleep 5\n", RunOutcome::End::kDied, 0},
      {"half a frame", "printf '\\150\\0\\0\\0abc' >&3\nsleep 5\n", RunOutcome::End::kTimedOut, 0},
      {"silence", "sleep 5\n", RunOutcome::End::kTimedOut, 0},
      {"a status that does not exist",
       "printf '\\150\\0\\0\\0' >&3\nhead -c 104 /dev/zero | tr '\\0' '\\377' >&3\nsleep 5\n",
       RunOutcome::End::kDied, 0},
  };

  TEST_CASE("garbage from a worker counts as a worker that died or was late") {
    static_assert(sizeof(RunReply) == 104, "the length in the last row");
    for (const Row& row : kReplies) {
      CAPTURE(std::string(row.name));
      const TestFolder folder;
      const auto backend = make_cpu_backend(impostor(folder, kLoaded + row.reply));
      auto session = backend->open(Image{}, RunPlan{}, small_arena());
      REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
      const auto outcome = (*session)->run(1, std::chrono::milliseconds(700), {});
      REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
      CHECK_FALSE(outcome->ok());
      CHECK(outcome->end == row.end);
      CHECK(outcome->signal == row.signal);
    }
  }

  TEST_CASE("a worker that cannot load is an error, after a fresh one was tried") {
    struct Load {
      const char* name;
      const char* script;
      const char* message;
    };

    const Load loads[] = {
        {"refuses", "printf '\\003\\0\\0\\0bad' >&3\nsleep 5\n",
         "internal: a worker process could not load the kernel (bad)"},
        {"dies", "head -c 1 <&3 >/dev/null\nexit 1\n",
         "device_lost: the worker process is gone (recvmsg: Connection reset by peer)"},
    };
    for (const Load& c : loads) {
      CAPTURE(std::string(c.name));
      const TestFolder folder;
      const auto backend = make_cpu_backend(impostor(folder, c.script));
      const auto session = backend->open(Image{}, RunPlan{}, small_arena());
      REQUIRE_FALSE(session.has_value());
      CHECK(to_text(session.error()) == c.message);
    }
  }

  TEST_CASE("a cancelled run ends at once") {
    const TestFolder folder;
    const auto backend = make_cpu_backend(impostor(folder, kLoaded + "sleep 5\n"));
    auto session = backend->open(Image{}, RunPlan{}, small_arena());
    REQUIRE(session.has_value());
    std::stop_source stop;
    const auto start = Clock::now();
    std::jthread stopper([&] { stop.request_stop(); });
    const auto outcome = (*session)->run(1, std::chrono::milliseconds(5000), stop.get_token());
    REQUIRE_FALSE(outcome.has_value());
    CHECK(to_text(outcome.error()) == "cancelled: the call was cancelled");
    CHECK(Clock::now() - start < std::chrono::seconds(2));
  }
}

}  // namespace ws
