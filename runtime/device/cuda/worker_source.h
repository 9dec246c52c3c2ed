// GPU workers that have their device started: some are kept ahead, for starting a device takes
// longer than most kernels, and a kernel needs four: itself and its reference, each to be judged
// and to be timed.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device/cuda/protocol.h"
#include "runtime/queue/worker_pool.h"

namespace ws::cuda {

class WorkerSource {
 public:
  /// From a started process to its device's answer.
  static constexpr std::chrono::seconds kAttachDeadline{60};

  /// @param role  Of the workers: "cuda", "hip".
  WorkerSource(std::string executable, std::string role, AttachRequest request);

  struct Worker {
    WorkerProcess process;
    CudaDevice device;
  };

  /// A worker that nobody else has; its device is started and was tried. @errors as
  /// Context::attach; kIo, kDeviceLost: the process could not be started or died. Any thread.
  Result<Worker> take();

  /// Begins to start the next workers, as many as are missing: one; four where the GPU has memory
  /// to spare, as each takes up to half a gibibyte of it. Any thread; does not wait for the device.
  void prepare();

  /// Waits until all workers that were begun are there: what is timed now would be disturbed. Any
  /// thread; returns at once when none is on its way, and after the deadline in any case.
  void settle();

  /// As AttachRequest::helpers, for the workers that are started from now on. Any thread.
  void set_helpers(std::string helpers);

  /// All devices, from a process of their own that starts none of them. @errors as take().
  Result<std::vector<CudaDevice>> describe();

 private:
  Result<WorkerProcess> start(const AttachRequest& request);
  AttachRequest request();
  static Result<Worker> finish_start(WorkerProcess process);
  void keep_ahead_for(const CudaDevice& device);

  WorkerPool pool_;
  std::mutex mutex_;
  AttachRequest request_;             // guarded by mutex_
  std::deque<WorkerProcess> spares_;  // guarded by mutex_; the oldest first
  std::size_t wanted_ = 1;            // guarded by mutex_
  bool settled_ = true;               // guarded by mutex_
};

}  // namespace ws::cuda
