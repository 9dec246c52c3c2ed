// Workers in control groups of the system that the tests run on.

#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/worker_groups.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMiB = std::size_t{1} << 20U;

/// How the server of a test ended; kAsExpected: all was as it should be.
enum Outcome : int {
  kAsExpected = 0,
  kNotOwn,
  kNotKilled,
  kNotCounted,
  kTooManyProcesses,
  kTooFewProcesses,
  kServersMemory,
  kNotJoined
};

bool put(const fs::path& file, const std::string& value) {
  const Fd open(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return open.valid() &&
         ::write(open.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

/// The number behind a word at the beginning of a line.
std::uint64_t number_in(const fs::path& file, const std::string& word) {
  const std::string text = "\n" + read_file(file).value_or("");
  const std::size_t at = text.find("\n" + word + " ");
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + word.size() + 2));
}

/// The group of this process, where the system has cgroup v2 with controllers to give.
std::optional<fs::path> giving_group() {
  const std::string text = read_file("/proc/self/cgroup").value_or("");
  const std::size_t at = text.find("0::/");
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const fs::path own =
      fs::path("/sys/fs/cgroup") / text.substr(at + 4, text.find('\n', at) - at - 4);
  return put(own / "cgroup.subtree_control", "+memory +pids") ? std::optional(own) : std::nullopt;
}

/// A group for the server of a test, with so much memory for it and its workers.
class LiveGroup {
 public:
  LiveGroup(const fs::path& parent, std::size_t memory)
      : path_(parent / ("warpsmith-test-" + std::to_string(::getpid()))) {
    REQUIRE(fs::create_directory(path_));
    REQUIRE(put(path_ / "memory.max", std::to_string(memory)));
  }

  LiveGroup(const LiveGroup&) = delete;
  LiveGroup& operator=(const LiveGroup&) = delete;

  ~LiveGroup() {
    for (const char* below : {"warpsmith.workers", "warpsmith.server", "."}) {
      std::error_code ignored;
      for (const auto& worker : fs::directory_iterator(path_ / below, ignored)) {
        ::rmdir(worker.path().c_str());
      }
      ::rmdir((path_ / below).lexically_normal().c_str());
    }
    ::rmdir(path_.c_str());
  }

  /// Runs the server of a test, which is alone in the group first.
  [[nodiscard]] int run(const std::function<Outcome(const fs::path& workers)>& server) const;

 private:
  fs::path path_;
};

/// The status that waitpid() has of a process that does the work.
int status_of(const std::function<int()>& work, const std::function<void(pid_t)>& meanwhile = {}) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work());
  }
  if (meanwhile) {
    meanwhile(child);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

int LiveGroup::run(const std::function<Outcome(const fs::path& workers)>& server) const {
  const int status = status_of([&]() -> int {
    if (!put(path_ / "cgroup.procs", std::to_string(::getpid())) ||
        prepare_groups() != GroupState::kOwn) {
      return kNotOwn;
    }
    return server(path_ / "warpsmith.workers");
  });
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Writes to each page of new memory.
void take_memory(std::size_t bytes) {
  auto* const memory = static_cast<volatile char*>(
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::size_t at = 0; at < bytes; at += 4096) {
    memory[at] = 1;
  }
}

/// The group of a worker, which stays when it has ended.
fs::path group_of(const fs::path& workers, pid_t worker) {
  return workers / std::to_string(worker);
}

/// @return How many processes could be made before the system made no more.
int fork_without_end() {
  constexpr int kMost = 1500;
  int made = 0;
  while (made < kMost) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
    }
    if (child < 0) {
      break;
    }
    ++made;
  }
  return made;
}

}  // namespace

TEST_SUITE("base.worker_groups") {
  TEST_CASE("where the system has groups to give, they hold") {
    const std::optional<fs::path> parent = giving_group();
    if (!parent) {
      MESSAGE("left out, as no group of cgroup v2 with memory and pids can be made here");
      return;
    }

    SUBCASE("a worker that takes too much memory ends alone") {
      const LiveGroup group(*parent, 128 * kMiB);
      CHECK(group.run([](const fs::path& workers) {
        pid_t worker = 0;
        const int status = status_of(
            [] {
              join_worker_group();
              take_memory(96 * kMiB);
              return 0;
            },
            [&](pid_t pid) { worker = pid; });
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
          return kNotKilled;
        }
        const fs::path events = group_of(workers, worker) / "memory.events";
        return number_in(events, "oom_kill") == 1 ? kAsExpected : kNotCounted;
      }) == kAsExpected);
    }

    SUBCASE("a worker that forks without end is refused, and the server makes processes") {
      const LiveGroup group(*parent, 2048 * kMiB);
      CHECK(group.run([](const fs::path& /*workers*/) {
        const int status = status_of([]() -> int {
          join_worker_group();
          ::setpgid(0, 0);
          const int made = fork_without_end();
          ::signal(SIGTERM, SIG_IGN);
          ::kill(0, SIGTERM);
          while (::wait(nullptr) > 0) {
          }
          return made > 1023 ? kTooManyProcesses : made < 900 ? kTooFewProcesses : kAsExpected;
        });
        return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : kNotJoined;
      }) == kAsExpected);
    }

    SUBCASE("the pages of a memory file count for the worker that asks for them") {
      const LiveGroup group(*parent, 256 * kMiB);
      CHECK(group.run([](const fs::path& workers) {
        constexpr std::size_t kBytes = 32 * kMiB;
        const int file = ::memfd_create("arena", MFD_CLOEXEC);
        if (::ftruncate(file, static_cast<off_t>(kBytes)) != 0) {
          return kNotJoined;
        }
        pid_t worker = 0;
        status_of(
            [file] {
              join_worker_group();
              charge_file(file);
              return 0;
            },
            [&](pid_t pid) { worker = pid; });
        auto* const memory = static_cast<volatile char*>(
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
        for (std::size_t at = 0; at < kBytes; at += 4096) {
          memory[at] = 1;
        }
        const fs::path servers = workers.parent_path() / "warpsmith.server";
        if (number_in(servers / "memory.stat", "shmem") > kMiB) {
          return kServersMemory;
        }
        return number_in(group_of(workers, worker) / "memory.stat", "shmem") >= kBytes
                   ? kAsExpected
                   : kNotCounted;
      }) == kAsExpected);
    }
  }
}

}  // namespace ws
