// The server's side of a GPU worker with a kernel loaded.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/gpu_lock.h"
#include "runtime/device/cuda/worker_source.h"
#include "runtime/queue/frame.h"

namespace ws::cuda {

class CudaSession : public Session {
 public:
  /// @param source  Takes the worker back, and is told to make the next one ready.
  CudaSession(WorkerSource::Worker worker, std::shared_ptr<Arena> arena, GpuLock lock,
              std::shared_ptr<WorkerSource> source, WorkerSource::Tenant tenant)
      : worker_(std::move(worker)),
        arena_(std::move(arena)),
        lock_(std::move(lock)),
        source_(std::move(source)),
        tenant_(std::move(tenant)) {}

  CudaSession(const CudaSession&) = delete;
  CudaSession& operator=(const CudaSession&) = delete;
  CudaSession(CudaSession&&) = delete;
  CudaSession& operator=(CudaSession&&) = delete;
  /// Lets the worker rest when all went well and it has an owner; else waits until it is gone: a
  /// hung kernel's end takes the driver some time.
  ~CudaSession() override;

  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override;
  Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                             const std::stop_token& stop) override;

  void mark_verified() override { vouched_ = true; }

 private:
  Result<TimingOutcome> ring(std::string_view doorbell, GpuLock::Use use,
                             std::chrono::milliseconds limit, const std::stop_token& stop);
  Status take_device(GpuLock::Use use, std::chrono::milliseconds limit,
                     const std::stop_token& stop);
  void leave_device();
  /// Gives the worker the device, and leaves it as soon as the worker has.
  /// @param limit  From here to the reply. @errors as WorkerCall::wait().
  Result<std::string> hear_reply(std::chrono::milliseconds limit, const std::stop_token& stop);
  Result<TimingOutcome> exchange(std::chrono::milliseconds limit, const std::stop_token& stop);

  WorkerSource::Worker worker_;
  std::shared_ptr<Arena> arena_;
  GpuLock lock_;
  std::shared_ptr<WorkerSource> source_;
  FairSemaphore::Place turn_;  ///< While it has the device.
  WorkerSource::Tenant tenant_;
  bool well_ = true;  ///< So far every doorbell was.
  bool vouched_ = false;
};

/// A worker of `source`, of the plan's owner where one rests, with `image` and `plan` loaded.
/// @errors as Backend::open.
Result<std::unique_ptr<Session>> open_session(const std::shared_ptr<WorkerSource>& source,
                                              const std::string& lock_folder, const Image& image,
                                              const RunPlan& plan, std::shared_ptr<Arena> arena);

/// The counters that a worker is to collect.
struct CountingJob {
  const Image& image;
  const RunPlan& plan;
  const Arena& arena;
};

/// Takes a worker of `source`, which counts, asks it, and ends it. @errors as
/// CountsInHardware::count.
Result<HardwareCounters> ask_counters(WorkerSource& source, const std::string& lock_folder,
                                      const CountingJob& job, std::chrono::milliseconds limit,
                                      const std::stop_token& stop);

}  // namespace ws::cuda
