#include "runtime/device/cuda/cuda_session.h"

#include "runtime/device/timing_checks.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/worker_call.h"

namespace ws::cuda {
namespace {

/// From a worker's last byte to its end.
constexpr std::chrono::milliseconds kLastBreath{500};
constexpr std::chrono::seconds kLoadDeadline{60};
constexpr std::size_t kMaxLoadedFrame = 65536;

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

CudaSession::~CudaSession() {
  if (well_ && !tenant_.owner.empty()) {
    source_->rest(std::move(worker_), tenant_, vouched_);
  } else {
    worker_.process.finish();
  }
  source_->prepare();
}

Result<RunOutcome> CudaSession::run(std::uint64_t poison, std::chrono::milliseconds limit,
                                    const std::stop_token& stop) {
  source_->prepare(1);  // While the kernel runs untimed, and results are compared.
  WS_TRY(TimingOutcome outcome, ring(bytes_of(poison), GpuLock::Use::kShared, limit, stop));
  return std::move(outcome.run);
}

Result<TimingOutcome> CudaSession::time(const TimingRequest& request,
                                        std::chrono::milliseconds limit,
                                        const std::stop_token& stop) {
  WS_CHECK(check_launches(request));
  WS_TRY(TimingOutcome outcome, ring(bytes_of(request), GpuLock::Use::kAlone, limit, stop));
  WS_CHECK(check_samples(outcome, request, "a GPU worker"));
  return outcome;
}

Result<TimingOutcome> CudaSession::ring(std::string_view doorbell, GpuLock::Use use,
                                        std::chrono::milliseconds limit,
                                        const std::stop_token& stop) {
  if (worker_.process.pid() <= 0) {
    return fail(ErrorCode::kDeviceLost, "the worker process is gone");
  }
  // The worker makes ready what it can while the device is another one's.
  [[maybe_unused]] const Status rung = send_frame(worker_.process.socket(), doorbell);
  if (const Status taken = take_device(use, limit, stop); !taken) {
    leave_device();
    [[maybe_unused]] const Status told = send_frame(worker_.process.socket(), {&kNotNow, 1});
    return fail(taken.error());
  }
  Result<TimingOutcome> outcome = exchange(limit, stop);
  well_ = well_ && outcome && outcome->run.ok();
  if (!well_) {
    worker_.process.finish();  // Before others have the device, unless the worker gave it back.
  }
  leave_device();
  return outcome;
}

Status CudaSession::take_device(GpuLock::Use use, std::chrono::milliseconds limit,
                                const std::stop_token& stop) {
  WS_TRY(turn_, source_->doorbells().enter(stop));
  return lock_.acquire(use, limit, stop);
}

void CudaSession::leave_device() {
  lock_.release();
  turn_ = FairSemaphore::Place();
}

Result<std::string> CudaSession::hear_reply(std::chrono::milliseconds limit,
                                            const std::stop_token& stop) {
  const WorkerCall call(worker_.process.socket(), stop);
  const auto deadline = Clock::now() + limit;
  // A worker that is gone is noticed when nothing comes; what it said before is to be read.
  [[maybe_unused]] const Status told = call.send({&kGo, 1});
  Result<std::string> reply = call.wait(kMaxReplyFrame, deadline);
  if (reply && *reply == std::string_view(&kFree, 1)) {
    leave_device();
    reply = call.wait(kMaxReplyFrame, deadline);
  }
  return reply;
}

Result<TimingOutcome> CudaSession::exchange(std::chrono::milliseconds limit,
                                            const std::stop_token& stop) {
  const auto start = Clock::now();
  const Result<std::string> reply = hear_reply(limit, stop);
  const double elapsed = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  TimingOutcome outcome;
  if (reply) {
    WS_TRY(outcome, decode_reply(*reply));
  } else if (reply.error().code == ErrorCode::kCancelled) {
    return fail(reply.error());
  } else if (reply.error().code == ErrorCode::kTimeout) {
    outcome.run.end = RunOutcome::End::kTimedOut;
  } else {
    outcome.run.end = RunOutcome::End::kDied;
    WS_TRY(outcome.run.signal, end_lost_worker(worker_.process, kLastBreath));
  }
  outcome.run.elapsed_us = elapsed;
  return outcome;
}

namespace {

Status load(const WorkerProcess& process, const Image& image, const RunPlan& plan,
            const Arena& arena) {
  WS_CHECK(send_frame(process.socket(), encode_load(image, plan), arena.fd()));
  WS_TRY(const Received loaded,
         receive_frame(process.socket(), kMaxLoadedFrame, Clock::now() + kLoadDeadline));
  return decode_loaded(loaded.payload);
}

}  // namespace

Result<std::unique_ptr<Session>> open_session(const std::shared_ptr<WorkerSource>& source,
                                              const std::string& lock_folder, const Image& image,
                                              const RunPlan& plan, std::shared_ptr<Arena> arena) {
  const WorkerSource::Tenant tenant{plan.owner, plan.batch};
  WS_TRY(WorkerSource::Worker worker, source->take(tenant));
  Status loaded = load(worker.process, image, plan, *arena);
  if (!loaded && worker.rested) {
    // If the idle worker is broken, start a fresh one: this kernel is not to blame.
    WS_TRY(worker, source->take({}));
    loaded = load(worker.process, image, plan, *arena);
  }
  WS_CHECK(loaded);
  WS_TRY(GpuLock lock, GpuLock::open(lock_folder, worker.device.uuid));
  return std::make_unique<CudaSession>(std::move(worker), std::move(arena), std::move(lock), source,
                                       tenant);
}

Result<HardwareCounters> ask_counters(WorkerSource& source, const std::string& lock_folder,
                                      const CountingJob& job, std::chrono::milliseconds limit,
                                      const std::stop_token& stop) {
  WS_TRY(WorkerSource::Worker worker, source.take({}));
  WS_TRY(GpuLock lock, GpuLock::open(lock_folder, worker.device.uuid));
  WorkerProcess& process = worker.process;
  WS_CHECK(load(process, job.image, job.plan, job.arena));
  WS_CHECK(lock.acquire(GpuLock::Use::kAlone, limit, stop));
  const Result<std::string> answer =
      ask_worker(process, {&kAskCounters, 1}, kMaxReplyFrame, Clock::now() + limit, stop);
  process.finish();
  lock.release();
  if (!answer && answer.error().code == ErrorCode::kCancelled) {
    return fail(answer.error());
  }
  if (!answer && answer.error().code == ErrorCode::kTimeout) {
    return fail(ErrorCode::kTimeout,
                "counting took longer than " + std::to_string(limit.count()) + " ms");
  }
  if (!answer) {
    return fail(ErrorCode::kDeviceLost, "the worker that counts died");
  }
  return decode_counters(*answer);
}

}  // namespace ws::cuda
