#include "runtime/device/vulkan/vulkan_session.h"

#include "runtime/device/cuda/worker/protocol.h"
#include "runtime/device/driver_fault.h"
#include "runtime/device/timing_checks.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/worker_call.h"

namespace ws::vulkan {
namespace {

/// From a worker's last byte to its end.
constexpr std::chrono::milliseconds kLastBreath{500};
constexpr std::chrono::seconds kLoadDeadline{60};
constexpr std::size_t kMaxLoadedFrame = 65536;

}  // namespace

Result<RunOutcome> VulkanSession::run(std::uint64_t poison, std::chrono::milliseconds limit,
                                      const std::stop_token& stop) {
  if (poison == kNoLaunch) {
    return RunOutcome{};  // The device's own times have no doorbell in them.
  }
  WS_TRY(TimingOutcome outcome, ring({}, limit, stop));
  return std::move(outcome.run);
}

Result<TimingOutcome> VulkanSession::time(const TimingRequest& request,
                                          std::chrono::milliseconds limit,
                                          const std::stop_token& stop) {
  WS_CHECK(check_launches(request));
  WS_TRY(TimingOutcome outcome,
         ring({.launches = request.launches, .hot = request.hot}, limit, stop));
  WS_CHECK(check_samples(outcome, request, "a Vulkan worker"));
  return outcome;
}

Result<TimingOutcome> VulkanSession::ring(const Doorbell& doorbell, std::chrono::milliseconds limit,
                                          const std::stop_token& stop) {
  if (process_.pid() <= 0) {
    return fail(ErrorCode::kDeviceLost, "the worker process is gone");
  }
  if (lock_) {
    const auto use =
        doorbell.launches == 0 ? cuda::GpuLock::Use::kShared : cuda::GpuLock::Use::kAlone;
    WS_CHECK(lock_->acquire(use, limit, stop));
  }
  Result<TimingOutcome> outcome = prepare(stop);
  if (outcome && outcome->run.ok()) {
    outcome = exchange(doorbell, limit, stop);
  }
  if (!outcome || !outcome->run.ok()) {
    process_.finish();
    workers_->prepare();
  }
  if (lock_) {
    lock_->release();
  }
  return outcome;
}

Result<TimingOutcome> VulkanSession::prepare(const std::stop_token& stop) {
  if (prepared_) {
    return TimingOutcome{};
  }
  prepared_ = true;
  WS_TRY(TimingOutcome outcome, exchange({.prepare = 1}, kDriverCompileLimit, stop));
  if (outcome.run.end == RunOutcome::End::kTimedOut) {
    outcome.run.end = RunOutcome::End::kReplied;
    outcome.run.reply.status = RunStatus::kDriverError;
    outcome.run.reply.detail = kVulkanCode | kEndlessCompile;
  }
  return outcome;
}

Result<TimingOutcome> VulkanSession::exchange(const Doorbell& doorbell,
                                              std::chrono::milliseconds limit,
                                              const std::stop_token& stop) {
  const auto start = Clock::now();
  const Result<std::string> reply =
      ask_worker(process_, {reinterpret_cast<const char*>(&doorbell), sizeof doorbell},
                 cuda::kMaxReplyFrame, start + limit, stop);
  TimingOutcome outcome;
  const double elapsed = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  if (reply) {
    WS_TRY(outcome, cuda::decode_reply(*reply));
  } else if (reply.error().code == ErrorCode::kCancelled) {
    return fail(reply.error());
  } else if (reply.error().code == ErrorCode::kTimeout) {
    outcome.run.end = RunOutcome::End::kTimedOut;
  } else {
    outcome.run.end = RunOutcome::End::kDied;
    WS_TRY(outcome.run.signal, end_lost_worker(process_, kLastBreath));
  }
  outcome.run.elapsed_us = elapsed;
  return outcome;
}

Result<std::unique_ptr<Session>> open_session(const std::shared_ptr<Workers>& workers,
                                              const DeviceFacts& device,
                                              const std::string& lock_folder, const Image& image,
                                              const RunPlan& plan, std::shared_ptr<Arena> arena) {
  std::optional<cuda::GpuLock> lock;
  if (!device.processor) {
    WS_TRY(lock, cuda::GpuLock::open(lock_folder, device.uuid));
  }
  WS_TRY(WorkerProcess process, workers->take());
  WS_CHECK(send_frame(process.socket(), encode_load(image, plan), arena->fd()));
  workers->prepare();  // While this one loads.
  WS_TRY(const Received loaded,
         receive_frame(process.socket(), kMaxLoadedFrame, Clock::now() + kLoadDeadline));
  WS_CHECK(cuda::decode_loaded(loaded.payload));
  return std::make_unique<VulkanSession>(std::move(process), std::move(arena), std::move(lock),
                                         workers);
}

}  // namespace ws::vulkan
