#include "runtime/device/cuda/worker_source.h"

#include <algorithm>
#include <optional>

#include <poll.h>

#include "runtime/queue/frame.h"

namespace ws::cuda {
namespace {

constexpr std::size_t kMaxAttachedFrame = std::size_t{256} << 10U;
constexpr std::size_t kWorkersOfKernel = 4;
constexpr std::uint64_t kLargeMemory = std::uint64_t{24} << 30U;
constexpr std::chrono::seconds kSettleDeadline{5};

}  // namespace

WorkerSource::WorkerSource(std::string executable, std::string role, AttachRequest request)
    : pool_({std::move(executable), std::move(role), 1}),
      request_(std::move(request)) {}

AttachRequest WorkerSource::request() {
  const std::lock_guard lock(mutex_);
  return request_;
}

void WorkerSource::set_helpers(std::string helpers) {
  const std::lock_guard lock(mutex_);
  request_.helpers = std::move(helpers);
}

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
    if (!spares_.empty()) {
      spare = std::move(spares_.front());
      spares_.pop_front();
    }
  }
  if (spare) {
    auto worker = finish_start(std::move(*spare));
    if (worker) {
      keep_ahead_for(worker->device);
      return worker;
    }
    // It may have died while it waited; a fresh one says whether the device is well.
  }
  WS_TRY(WorkerProcess process, start(request()));
  WS_TRY(Worker worker, finish_start(std::move(process)));
  keep_ahead_for(worker.device);
  return worker;
}

void WorkerSource::keep_ahead_for(const CudaDevice& device) {
  const std::lock_guard lock(mutex_);
  wanted_ = device.memory_bytes >= kLargeMemory ? kWorkersOfKernel : 1;
}

void WorkerSource::prepare() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (spares_.size() >= wanted_) {
        return;
      }
    }
    auto process = start(request());
    const std::lock_guard lock(mutex_);
    if (!process || spares_.size() >= wanted_) {
      return;
    }
    spares_.push_back(std::move(*process));
    settled_ = false;
  }
}

void WorkerSource::settle() {
  std::vector<pollfd> answers;
  {
    const std::lock_guard lock(mutex_);
    if (settled_) {
      return;
    }
    for (const WorkerProcess& spare : spares_) {
      answers.push_back({spare.socket(), POLLIN, 0});
    }
    settled_ = true;
  }
  const auto deadline = Clock::now() + kSettleDeadline;
  for (pollfd& answer : answers) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    ::poll(&answer, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  }
}

Result<std::vector<CudaDevice>> WorkerSource::describe() {
  AttachRequest request = this->request();
  request.device = -1;
  request.helpers.clear();
  WS_TRY(const WorkerProcess process, start(request));
  WS_TRY(const Received answer,
         receive_frame(process.socket(), kMaxAttachedFrame, Clock::now() + kAttachDeadline));
  return decode_attached(answer.payload);
}

}  // namespace ws::cuda
