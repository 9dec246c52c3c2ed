#include "runtime/worker/worker_limits.h"

#include <csignal>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "runtime/base/files.h"
#include "runtime/queue/process.h"

namespace ws {

TEST_SUITE("worker.limits") {
  TEST_CASE(
      "a worker goes before the server where memory runs out, has few processes, and stays when "
      "somebody ends the server") {
    const auto worker =
        WorkerProcess::start(std::string(WS_BINARY_DIR) + "/warpsmith", "run", WorkerOutput::kKept);
    REQUIRE(worker.has_value());
    const std::string score = "/proc/" + std::to_string(worker->pid()) + "/oom_score_adj";
    rlimit processes{};
    std::string seen;
    for (int i = 0; i < 5000 && seen != "500\n"; ++i) {  // It has to start first.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      seen = read_file(score).value_or("");
    }
    CHECK(seen == "500\n");
    const std::string status =
        read_file("/proc/" + std::to_string(worker->pid()) + "/status").value_or("");
    const std::size_t ignored = status.find("SigIgn:");
    REQUIRE(ignored != std::string::npos);
    constexpr std::uint64_t kSigterm = 1U << (SIGTERM - 1);
    CHECK((std::stoull(status.substr(ignored + 7), nullptr, 16) & kSigterm) != 0);
    for (int i = 0; i < 5000 && (processes.rlim_max == 0 || processes.rlim_max > 8192); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      REQUIRE(::prlimit(worker->pid(), RLIMIT_NPROC, nullptr, &processes) == 0);
    }
    CHECK(processes.rlim_max <= 8192);
  }
}

}  // namespace ws
