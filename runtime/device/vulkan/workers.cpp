#include "runtime/device/vulkan/workers.h"

#include "runtime/base/call_context.h"
#include "runtime/queue/frame.h"

namespace ws::vulkan {
namespace {

constexpr std::chrono::seconds kAttachDeadline{60};
constexpr std::size_t kMaxAttachedFrame = std::size_t{256} << 10U;

Result<std::vector<DeviceFacts>> hear_devices(const WorkerProcess& process) {
  WS_TRY(const Received answer,
         receive_frame(process.socket(), kMaxAttachedFrame, Clock::now() + kAttachDeadline));
  return decode_attached(answer.payload);
}

}  // namespace

Workers::Workers(std::string executable, AttachRequest request)
    : request_(std::move(request)),
      pool_({std::move(executable), "vulkan", 1, WorkerOutput::kKept}) {}

Result<WorkerProcess> Workers::start(const AttachRequest& request) {
  WS_TRY(WorkerProcess process, pool_.take());
  WS_CHECK(send_frame(process.socket(), encode_attach(request)));
  return process;
}

Result<WorkerProcess> Workers::take() {
  std::optional<WorkerProcess> spare;
  {
    const std::lock_guard lock(mutex_);
    spare.swap(spare_);
  }
  if (spare && hear_devices(*spare)) {
    return *std::move(spare);
  }
  // One that waited may have died; a fresh one says whether the device is well.
  WS_TRY(WorkerProcess process, start(request_));
  WS_TRY([[maybe_unused]] const auto devices, hear_devices(process));
  return process;
}

void Workers::prepare() {
  {
    const std::lock_guard lock(mutex_);
    if (spare_) {
      return;
    }
  }
  Result<WorkerProcess> process = start(request_);
  const std::lock_guard lock(mutex_);
  if (process && !spare_) {
    spare_ = std::move(*process);
  }
}

Result<std::vector<DeviceFacts>> Workers::describe() {
  AttachRequest request = request_;
  request.device = -1;
  WS_TRY(const WorkerProcess process, start(request));
  return hear_devices(process);
}

}  // namespace ws::vulkan
