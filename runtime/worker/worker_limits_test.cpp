#include "runtime/worker/worker_limits.h"

#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "runtime/base/files.h"
#include "runtime/queue/process.h"

namespace ws {

TEST_SUITE("worker.limits") {
  TEST_CASE("a worker goes before the server where memory runs out, and has few processes") {
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
    for (int i = 0; i < 5000 && (processes.rlim_max == 0 || processes.rlim_max > 8192); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      REQUIRE(::prlimit(worker->pid(), RLIMIT_NPROC, nullptr, &processes) == 0);
    }
    CHECK(processes.rlim_max <= 8192);
  }
}

}  // namespace ws
