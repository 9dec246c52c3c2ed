// A backend whose run workers are impostors: whatever they send, the server answers.
#include "runtime/device/cpu/cpu_backend.h"

#include <csignal>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/base/processor_time.h"
#include "runtime/device/cpu/standstill.h"
#include "runtime/device/fault_report.h"

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
      {"a crash", "kill -11 $$\n", RunOutcome::End::kDied, 11},
      {"a frame of the wrong size", "printf '\\003\\0\\0\\0abc' >&3\nsleep 5\n",
       RunOutcome::End::kDied, 0},
      {"a giant frame", "printf '\\377\\377\\377\\377' >&3\nsleep 5\n", RunOutcome::End::kDied, 0},
      {"half a frame", "printf '\\160\\0\\0\\0abc' >&3\nsleep 5\n", RunOutcome::End::kTimedOut, 0},
      {"silence", "sleep 5\n", RunOutcome::End::kTimedOut, 0},
      {"a status that does not exist",
       "printf '\\160\\0\\0\\0' >&3\nhead -c 112 /dev/zero | tr '\\0' '\\377' >&3\nsleep 5\n",
       RunOutcome::End::kDied, 0},
  };

  TEST_CASE("garbage from a worker counts as a worker that died or was late") {
    static_assert(sizeof(RunReply) == 112, "the length in the last row");
    for (const Row& row : kReplies) {
      CAPTURE(std::string(row.name));
      const TestFolder folder;
      const auto backend = make_cpu_backend(impostor(folder, kLoaded + row.reply));
      auto session = backend->open(Image{}, RunPlan{}, small_arena());
      REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
      const auto outcome = (*session)->run(1, std::chrono::milliseconds(200), {});
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

  /// Says that it has loaded when it was told to (spare workers wait), or that all went well.
  const std::string kReady = "head -c 1 <&3 >/dev/null\nprintf '\\0\\0\\0\\0' >&3\n";
  const std::string kReply = "{ printf '\\160\\0\\0\\0'; head -c 112 /dev/zero; } >&3\n";

  /// An endless loop that leaves a trace of itself.
  std::string busy(const TestFolder& folder) {
    return "while :; do echo x >> " + (folder.path() / "trace").string() + "; done\n";
  }

  /// As kReady, and leaves its process id.
  std::string named(const TestFolder& folder) {
    return "head -c 1 <&3 >/dev/null\necho $$ > " + (folder.path() / "pid").string() +
           "\nprintf '\\0\\0\\0\\0' >&3\n";
  }

  pid_t name_of_worker(const TestFolder& folder) {
    const auto text = read_file(folder.path() / "pid");
    REQUIRE(text.has_value());
    return std::stoi(*text);
  }

  std::uintmax_t trace_of(const TestFolder& folder) {
    std::error_code none;
    const std::uintmax_t bytes = std::filesystem::file_size(folder.path() / "trace", none);
    return none ? 0 : bytes;
  }

  /// Long enough for a process that runs to leave a trace.
  void let_time_pass() {
    const auto start = thread_processor_time();
    while (thread_processor_time() - start < std::chrono::milliseconds(30)) {
    }
  }

  TEST_CASE("a worker stands still before its doorbell and after its reply") {
    const TestFolder folder;
    // It works ahead from the moment that it has loaded, and replies at the first doorbell.
    const auto backend = make_cpu_backend(
        impostor(folder, kReady + "head -c 12 <&3 >/dev/null\n" + kReply + busy(folder)));
    auto session = backend->open(Image{}, RunPlan{}, small_arena());
    REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
    const auto outcome = (*session)->run(1, std::chrono::milliseconds(20000), {});
    REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
    CHECK(outcome->ok());
    const std::uintmax_t trace = trace_of(folder);
    let_time_pass();
    CHECK(trace_of(folder) == trace);
  }

  TEST_CASE("a worker that is loaded does not run on") {
    const TestFolder folder;
    const auto backend = make_cpu_backend(impostor(folder, kReady + busy(folder)));
    auto session = backend->open(Image{}, RunPlan{}, small_arena());
    REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
    const std::uintmax_t trace = trace_of(folder);
    let_time_pass();
    CHECK(trace_of(folder) == trace);
  }

  TEST_CASE("a worker that worked between two launches is suspect, whatever it replies") {
    const TestFolder folder;
    const auto backend = make_cpu_backend(impostor(folder, named(folder) + kReply + busy(folder)));
    auto session = backend->open(Image{}, RunPlan{}, small_arena());
    REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
    const pid_t worker = name_of_worker(folder);
    // No worker can do this itself.
    const auto before = processor_time_of(worker);
    REQUIRE(before.has_value());
    REQUIRE(::kill(worker, SIGCONT) == 0);
    while (*processor_time_of(worker) - *before < std::chrono::milliseconds(120)) {
    }
    const auto outcome = (*session)->run(1, std::chrono::milliseconds(20000), {});
    REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
    CHECK_FALSE(outcome->ok());
    const Fault fault = describe_fault(*outcome, Image{}, ResolvedPlan{}, {});
    CHECK(fault.verdict == Verdict::kSuspect);
    CHECK(fault.message == "the kernel's worker process worked while no launch was running");
  }

  TEST_CASE("a killed worker is not the kernel's fault, whether it runs or stands still") {
    constexpr const char* kKilled =
        "device_lost: a worker process was killed from outside (signal 9); ask again; if it "
        "happens often, check whether the machine runs out of memory";
    const TestFolder folder;
    const auto backend = make_cpu_backend(impostor(folder, named(folder) + busy(folder)));
    auto session = backend->open(Image{}, RunPlan{}, small_arena());
    REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
    REQUIRE(::kill(name_of_worker(folder), SIGKILL) == 0);
    const auto standing = (*session)->run(1, std::chrono::milliseconds(20000), {});
    REQUIRE_FALSE(standing.has_value());
    CHECK(to_text(standing.error()) == kKilled);
    const TestFolder other;
    const auto killing = make_cpu_backend(impostor(other, kLoaded + "kill -9 $$\n"));
    auto killed = killing->open(Image{}, RunPlan{}, small_arena());
    REQUIRE_MESSAGE(killed.has_value(), to_text(killed.error()));
    const auto running = (*killed)->run(1, std::chrono::milliseconds(20000), {});
    REQUIRE_FALSE(running.has_value());
    CHECK(to_text(running.error()) == kKilled);
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
