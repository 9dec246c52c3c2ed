#include "runtime/reference/host_process.h"

#include "runtime/queue/frame.h"
#include "runtime/queue/launch_time.h"
#include "runtime/queue/worker_call.h"

namespace ws {
namespace {

/// From a worker's last byte to its end.
constexpr std::chrono::milliseconds kLastBreath{200};

}  // namespace

void OwnProcess::start(const std::string& job, int arena) {
  [[maybe_unused]] const Status sent = send_frame(process_.socket(), job, arena);
}

Result<std::chrono::nanoseconds> OwnProcess::used() const {
  return processor_time_of(process_.pid());
}

void OwnProcess::end() {
  process_.finish();
}

Result<int> OwnProcess::end_lost(std::optional<int> /*told*/) {
  return end_lost_worker(process_, kLastBreath);
}

}  // namespace ws
