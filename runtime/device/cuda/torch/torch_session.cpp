#include "runtime/device/cuda/torch/torch_session.h"

#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/units.h"
#include "runtime/queue/worker_call.h"

namespace ws::cuda {
namespace {

constexpr std::size_t kMaxTimes = std::size_t{16} << 20U;
/// From a worker's last byte to its end.
constexpr std::chrono::milliseconds kLastBreath{500};

class TorchSession : public Session {
 public:
  TorchSession(TorchSeat seat, TorchWorkers::Worker worker, ModuleRun module, ResolvedPlan plan,
               std::shared_ptr<Arena> arena, GpuLock lock)
      : seat_(std::move(seat)),
        worker_(std::move(worker)),
        module_(std::move(module)),
        plan_(std::move(plan)),
        arena_(std::move(arena)),
        lock_(std::move(lock)),
        draws_(random_u64()) {}

  ~TorchSession() override {
    if (well_) {
      seat_.workers->rest(std::move(worker_), module_);
    } else {
      worker_.process.finish();
    }
  }

  TorchSession(const TorchSession&) = delete;
  TorchSession& operator=(const TorchSession&) = delete;
  TorchSession(TorchSession&&) = delete;
  TorchSession& operator=(TorchSession&&) = delete;

  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override {
    WS_TRY(TimingOutcome timing, time({.poison = poison}, limit, stop));
    return std::move(timing.run);
  }

  Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                             const std::stop_token& stop) override {
    WS_TRY(const FairSemaphore::Place turn, seat_.source->doorbells().enter(stop));
    WS_CHECK(lock_.acquire(GpuLock::Use::kAlone, limit, stop));
    Result<TimingOutcome> timing = ask(request, limit, stop);
    well_ = well_ && timing.has_value();
    if (!well_) {
      worker_.process.finish();  // It may still run: before others have the device.
    }
    lock_.release();
    return timing;
  }

 private:
  Result<TimingOutcome> ask(const TimingRequest& request, std::chrono::milliseconds limit,
                            const std::stop_token& stop) {
    const TorchLaunches launches = encode_launches(request, plan_, *arena_, draws_);
    const auto start = Clock::now();
    const Result<std::string> answer =
        ask_worker(worker_.process, launches.message, kMaxTimes, start + limit, stop);
    if (!answer && answer.error().code == ErrorCode::kDeviceLost) {
      WS_TRY(const int signal, end_lost_worker(worker_.process, kLastBreath));
      return fail(
          ErrorCode::kUnsupported,
          "the module cannot be timed: its process ended by signal " + std::to_string(signal));
    }
    if (!answer) {
      return fail(answer.error());
    }
    WS_TRY(TimingOutcome timing, decode_torch_times(*answer, plan_));
    if (timing.samples.size() != request.launches) {
      return fail(ErrorCode::kDeviceLost, "the worker that runs the module took " +
                                              std::to_string(timing.samples.size()) +
                                              " samples of " + std::to_string(request.launches));
    }
    timing.kept = launches.kept;
    timing.run.elapsed_us = elapsed_ms(start) * kUsPerMs;
    return timing;
  }

  TorchSeat seat_;
  TorchWorkers::Worker worker_;
  ModuleRun module_;
  ResolvedPlan plan_;
  std::shared_ptr<Arena> arena_;
  GpuLock lock_;
  std::mt19937_64 draws_;
  bool well_ = true;  ///< So far every doorbell was.
};

/// @errors kUnsupported: the module could not be made; as decode_torch_ready().
Status check_ready(const std::string& answer) {
  WS_TRY(const TorchReady ready, decode_torch_ready(answer));
  if (!ready.error.empty()) {
    return fail(ErrorCode::kUnsupported, "the module cannot be timed: " + ready.error);
  }
  return {};
}

/// Makes and compiles the module in the worker, which uses the device for it: meanwhile nobody
/// times there.
Status load(TorchWorkers::Worker& worker, const std::string& message, const Arena& arena,
            WorkerSource& source, GpuLock& lock, const std::stop_token& stop) {
  WS_TRY(const FairSemaphore::Place turn, source.doorbells().enter(stop));
  WS_CHECK(lock.acquire(GpuLock::Use::kShared, TorchWorkers::kReadyLimit, stop));
  const Result<std::string> answer =
      ask_worker(worker.process, message, kMaxTimes, Clock::now() + TorchWorkers::kReadyLimit, stop,
                 arena.fd());
  const Status ready = answer ? check_ready(*answer) : Status(fail(answer.error()));
  if (!ready) {
    worker.process.finish();  // It may still run: before others have the device.
  }
  lock.release();
  return ready;
}

}  // namespace

Result<std::unique_ptr<Session>> open_torch_session(const TorchSeat& seat, const std::string& uuid,
                                                    const ModuleRun& module,
                                                    const ResolvedPlan& plan,
                                                    std::shared_ptr<Arena> arena,
                                                    const std::stop_token& stop) {
  WS_TRY(TorchWorkers::Worker worker, seat.workers->take(module, stop));
  WS_TRY(GpuLock lock, GpuLock::open(seat.lock_folder, uuid));
  WS_CHECK(load(worker, encode_module(module, plan, *arena), *arena, *seat.source, lock, stop));
  return std::make_unique<TorchSession>(seat, std::move(worker), module, plan, std::move(arena),
                                        std::move(lock));
}

}  // namespace ws::cuda
