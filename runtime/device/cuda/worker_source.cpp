#include "runtime/device/cuda/worker_source.h"

#include "runtime/queue/frame.h"

namespace ws::cuda {
namespace {

constexpr std::size_t kMaxAttachedFrame = std::size_t{256} << 10U;

}  // namespace

WorkerSource::WorkerSource(std::string executable, AttachRequest request)
    : request_(std::move(request)),
      pool_({std::move(executable), "cuda", 1}) {}

Result<WorkerProcess> WorkerSource::start(const AttachRequest& request) {
  WS_TRY(WorkerProcess process, pool_.take());
  WS_CHECK(send_frame(process.socket(), encode_attach(request)));
  return process;
}

Result<WorkerSource::Worker> WorkerSource::finish_start(WorkerProcess process) {
  WS_TRY(const Received answer,
         receive_frame(process.socket(), kMaxAttachedFrame, Clock::now() + kAttachDeadline));
  WS_TRY(std::vector<CudaDevice> devices, decode_attached(answer.payload));
  if (devices.size() != 1) {
    return fail(ErrorCode::kInternal, "a GPU worker did not say which device it has");
  }
  return Worker{std::move(process), std::move(devices.front())};
}

Result<WorkerSource::Worker> WorkerSource::take() {
  std::optional<WorkerProcess> spare;
  {
    const std::lock_guard lock(mutex_);
    spare.swap(spare_);
  }
  if (spare) {
    auto worker = finish_start(std::move(*spare));
    if (worker) {
      return worker;
    }
    // It may have died while it waited; a fresh one says whether the device is well.
  }
  WS_TRY(WorkerProcess process, start(request_));
  return finish_start(std::move(process));
}

void WorkerSource::prepare() {
  {
    const std::lock_guard lock(mutex_);
    if (spare_) {
      return;
    }
  }
  auto process = start(request_);
  const std::lock_guard lock(mutex_);
  if (process && !spare_) {
    spare_ = std::move(*process);
  }
}

Result<std::vector<CudaDevice>> WorkerSource::describe() {
  AttachRequest request = request_;
  request.device = -1;
  WS_TRY(const WorkerProcess process, start(request));
  WS_TRY(const Received answer,
         receive_frame(process.socket(), kMaxAttachedFrame, Clock::now() + kAttachDeadline));
  return decode_attached(answer.payload);
}

}  // namespace ws::cuda
