#include "runtime/device/cuda/worker_source.h"

#include <algorithm>

#include "runtime/base/no_memory.h"
#include "runtime/queue/frame.h"

namespace ws::cuda {
namespace {

constexpr std::size_t kMaxAttachedFrame = std::size_t{256} << 10U;
/// With three kernels of a batch at a time more would rest for a moment; six keep a GPU busy enough
/// (docs/measurements/0005-gpu-figures.md), and each holds some of its memory.
constexpr std::size_t kMostResting = 6;
constexpr std::uint64_t kLargeMemory = std::uint64_t{24} << 30U;

}  // namespace

WorkerSource::WorkerSource(std::string executable, std::string role, AttachRequest request,
                           std::chrono::milliseconds idle)
    : idle_(idle),
      pool_({std::move(executable), std::move(role), 1}),
      request_(std::move(request)),
      ender_([this](const std::stop_token& stop) { end_the_idle(stop); }) {}

void WorkerSource::end_all_but_one(std::unique_lock<std::mutex>& lock) {
  std::deque<WorkerProcess> spares;
  std::deque<Resting> resting;
  std::deque<WorkerProcess> ending;
  while (spares_.size() > 1) {
    spares.push_back(std::move(spares_.back()));
    spares_.pop_back();
  }
  resting_.swap(resting);
  ending_.swap(ending);
  lock.unlock();
  spares.clear();  // Ends them, which takes the driver some time.
  resting.clear();
  ending.clear();
  lock.lock();
}

void WorkerSource::end_the_idle(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (kept_.wait(lock, stop, [this] { return keeps_idle(); }) && !stop.stop_requested()) {
    if (const auto until = used_ + idle_; Clock::now() < until) {
      kept_.wait_until(lock, stop, until, [] { return false; });
      continue;
    }
    surely([&] { end_all_but_one(lock); }, &lock);
  }
}

AttachRequest WorkerSource::request() {
  const std::lock_guard lock(mutex_);
  return request_;
}

void WorkerSource::set_helpers(std::string helpers) {
  const std::lock_guard lock(mutex_);
  request_.helpers = std::move(helpers);
}

void WorkerSource::note_use() {
  used_ = Clock::now();
  if (!keeps_idle()) {
    kept_.notify_one();  // It looks when it has the mutex, and one more is kept by then.
  }
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

std::optional<WorkerSource::Worker> WorkerSource::wake(const Tenant& tenant) {
  const std::lock_guard lock(mutex_);
  used_ = Clock::now();
  if (tenant.owner.empty()) {
    return std::nullopt;
  }
  const auto resting_for = [this, &tenant](const std::string& owner) {
    return std::find_if(resting_.begin(), resting_.end(), [&](const Resting& each) {
      return each.tenant.owner == owner && each.tenant.batch == tenant.batch;
    });
  };
  auto found = resting_for(tenant.owner);
  if (found == resting_.end()) {
    found = resting_for({});  // Without a batch nobody left any.
  }
  if (found == resting_.end()) {
    return std::nullopt;
  }
  Worker worker = std::move(found->worker);
  resting_.erase(found);
  worker.rested = true;
  return worker;
}

void WorkerSource::rest(Worker worker, const Tenant& tenant, bool verified) {
  Tenant next = tenant;
  if (verified && !tenant.batch.empty() && worker.handed_over < kMostHandedOver) {
    ++worker.handed_over;
    next.owner.clear();
  }
  const char done = kRest;
  if (!send_frame(worker.process.socket(), {&done, 1})) {
    return;
  }
  const std::lock_guard lock(mutex_);
  note_use();
  resting_.push_back({std::move(next), std::move(worker)});
  if (resting_.size() > (large_ ? kMostResting : 1)) {
    // Its end takes the driver some time, which nobody has to wait for.
    resting_.front().worker.process.kill_group();
    ending_.push_back(std::move(resting_.front().worker.process));
    resting_.pop_front();
  }
  std::erase_if(ending_, [](const WorkerProcess& process) { return process.has_ended(); });
}

Result<WorkerSource::Worker> WorkerSource::take(const Tenant& tenant) {
  if (std::optional<Worker> worker = wake(tenant)) {
    return *std::move(worker);
  }
  std::optional<WorkerProcess> spare;
  {
    const std::lock_guard lock(mutex_);
    if (!tenant.library && !spares_.empty()) {
      spare = std::move(spares_.front());
      spares_.pop_front();
    }
  }
  if (spare) {
    auto worker = finish_start(std::move(*spare));
    if (worker) {
      note_memory_of(worker->device);
      return worker;
    }
    // It may have died while it waited; a fresh one says whether the device is well.
  }
  AttachRequest request = this->request();
  request.lazy = tenant.library;
  WS_TRY(WorkerProcess process, start(request));
  WS_TRY(Worker worker, finish_start(std::move(process)));
  note_memory_of(worker.device);
  return worker;
}

void WorkerSource::note_memory_of(const CudaDevice& device) {
  const std::lock_guard lock(mutex_);
  large_ = device.memory_bytes >= kLargeMemory;
}

void WorkerSource::prepare(std::size_t most) {
  const auto enough = [&] {
    return spares_.size() >= std::min(most, large_ ? kMostAhead : std::size_t{1});
  };
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      used_ = Clock::now();
      if (enough()) {
        return;
      }
    }
    auto process = start(request());
    const std::lock_guard lock(mutex_);
    if (!process || enough()) {
      return;
    }
    note_use();
    spares_.push_back(std::move(*process));
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
