// GPU workers that have their device started: one is kept ahead, for starting a device takes
// longer than most kernels.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/device/cuda/protocol.h"
#include "runtime/queue/worker_pool.h"

namespace ws::cuda {

class WorkerSource {
 public:
  /// From a started process to its device's answer.
  static constexpr std::chrono::seconds kAttachDeadline{60};

  WorkerSource(std::string executable, AttachRequest request);

  struct Worker {
    WorkerProcess process;
    CudaDevice device;
  };

  /// A worker that nobody else has; its device is started and was tried. @errors as
  /// Context::attach; kIo, kDeviceLost: the process could not be started or died. Any thread.
  Result<Worker> take();

  /// Begins to start the next worker, if none waits. Not while something is timed: starting a
  /// device disturbs it. Any thread; does not wait for the device.
  void prepare();

  /// All devices, from a process of their own that starts none of them. @errors as take().
  Result<std::vector<CudaDevice>> describe();

 private:
  Result<WorkerProcess> start(const AttachRequest& request);
  static Result<Worker> finish_start(WorkerProcess process);

  const AttachRequest request_;
  WorkerPool pool_;
  std::mutex mutex_;
  std::optional<WorkerProcess> spare_;  // guarded by mutex_
};

}  // namespace ws::cuda
