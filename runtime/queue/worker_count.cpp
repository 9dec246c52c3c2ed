#include "runtime/queue/worker_count.h"

#include <atomic>

#include "runtime/base/metrics.h"
#include "runtime/base/no_memory.h"

namespace ws {
namespace {

std::atomic<bool> g_last_started = true;

}  // namespace

void count_start(const std::string& role, bool started) {
  g_last_started = started;
  surely([&] {
    if (!started) {
      metric_cell(Metric::kWorkersFailed, {role}).add();
      return;
    }
    MetricCell& all = metric_cell(Metric::kWorkersStarted, {role});
    metric_cell(Metric::kWorkers, {role}).add();  // From here on nothing takes memory.
    all.add();
  });
}

void count_end(const std::string& role) {
  surely([&] { metric_cell(Metric::kWorkers, {role}).add(-1); });
}

bool last_worker_started() noexcept {
  return g_last_started;
}

}  // namespace ws
