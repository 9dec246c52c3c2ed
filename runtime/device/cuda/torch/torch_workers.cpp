#include "runtime/device/cuda/torch/torch_workers.h"

#include <algorithm>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/device/cuda/measure/digest_kernel.h"
#include "runtime/queue/worker_call.h"

namespace ws::cuda {
namespace {

constexpr std::size_t kMaxReady = std::size_t{64} << 10U;

}  // namespace

TorchWorkers::TorchWorkers(TorchOptions options)
    : options_(std::move(options)),
      pool_({options_.executable, "torch", 0, WorkerOutput::kKept}),
      ender_([this](const std::stop_token& stop) { end_the_idle(stop); }) {}

std::string TorchWorkers::key_of(const ModuleRun& module) {
  return std::string(name_of(module.mode)) + " " + sha256_hex(module.source);
}

Result<TorchWorkers::Worker> TorchWorkers::take(const ModuleRun& module,
                                                const std::stop_token& stop) {
  if (std::optional<Worker> rested = wake(key_of(module))) {
    return *std::move(rested);
  }
  std::vector<std::string> candidates;
  {
    const std::lock_guard lock(mutex_);
    candidates =
        interpreter_.empty() ? options_.interpreters : std::vector<std::string>{interpreter_};
  }
  std::string why;
  for (const std::string& candidate : candidates) {
    WS_TRY(auto worker, start(candidate, module.mode != ModuleMode::kEager, why, stop));
    if (worker) {
      const std::lock_guard lock(mutex_);
      interpreter_ = candidate;
      return *std::move(worker);
    }
  }
  return fail(ErrorCode::kUnsupported,
              "no Python interpreter here has PyTorch with CUDA" + (why.empty() ? "" : ": " + why),
              "install PyTorch with CUDA, and start warpsmith in its environment or name its "
              "interpreter in WARPSMITH_PYTHON");
}

std::optional<TorchWorkers::Worker> TorchWorkers::wake(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(resting_.begin(), resting_.end(),
                               [&](const Resting& each) { return each.key == key; });
  if (at == resting_.end()) {
    return std::nullopt;
  }
  Worker worker = std::move(at->worker);
  resting_.erase(at);
  return worker;
}

Result<std::optional<TorchWorkers::Worker>> TorchWorkers::start(const std::string& interpreter,
                                                                bool compiles, std::string& why,
                                                                const std::stop_token& stop) {
  Worker worker;
  WS_TRY(worker.scratch, TempFolder::make());
  WS_TRY(worker.process, pool_.take());
  const TorchStart request{.interpreter = interpreter,
                           .scratch = worker.scratch->path().string(),
                           .device = options_.device,
                           .visible = options_.visible,
                           .compiles = compiles,
                           .digests = all_digests_ptx()};
  WS_TRY(const std::string answer,
         ask_worker(worker.process, encode(request), kMaxReady, Clock::now() + kReadyLimit, stop));
  WS_TRY(const TorchReady ready, decode_torch_ready(answer));
  if (ready.no_library) {
    why = interpreter + ": " + ready.error;
    return std::optional<Worker>();
  }
  if (!ready.error.empty()) {
    return fail(ErrorCode::kUnsupported, "PyTorch cannot use the device: " + ready.error);
  }
  return std::optional(std::move(worker));
}

void TorchWorkers::rest(Worker worker, const ModuleRun& module) {
  std::optional<Resting> oldest;  // Ended outside the lock.
  const std::lock_guard lock(mutex_);
  if (resting_.size() == kMostResting) {
    oldest = std::move(resting_.front());
    resting_.pop_front();
  }
  resting_.push_back({key_of(module), std::move(worker), Clock::now()});
  rested_.notify_all();
}

void TorchWorkers::end_the_idle(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (rested_.wait(lock, stop, [this] { return !resting_.empty(); })) {
    const auto end = resting_.front().since + kIdle;
    if (rested_.wait_until(lock, stop, end, [] { return false; }) || stop.stop_requested()) {
      return;
    }
    if (!resting_.empty() && resting_.front().since + kIdle <= Clock::now()) {
      const Resting idle = std::move(resting_.front());
      resting_.pop_front();
    }
  }
}

}  // namespace ws::cuda
