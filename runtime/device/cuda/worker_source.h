// GPU workers that have their device started. Starting a device takes longer than most kernels, and
// drivers start one after the other, however many wait. So some are kept ahead; and a worker whose
// kernel ran well rests, for the next kernel of the same owner: a kernel on its next workload or
// with other parameters, the reference and the baseline of one candidate after the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
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
    bool rested = false;  ///< It ran kernels of this owner before.
  };

  /// A worker that nobody else has, one of the owner's that rests or a fresh one; its device is
  /// started and was tried. @errors as Context::attach; kIo, kDeviceLost: the process could not be
  /// started or died. Any thread.
  /// @param owner  Empty: a fresh one.
  Result<Worker> take(const std::string& owner);

  /// Takes back a worker whose last doorbell went well. One too many is ended, the one that rested
  /// longest: each holds up to half a gibibyte of the GPU's memory. Any thread.
  void rest(Worker worker, const std::string& owner);

  /// Begins to start the next workers, up to `most` and as many as the GPU has memory for: one, or
  /// two. Any thread; does not wait for the device.
  void prepare(std::size_t most = kMostAhead);

  /// Waits until all workers that were begun are there: what is timed now would be disturbed. Any
  /// thread; returns at once when none is on its way, and after the deadline in any case.
  void settle();

  /// As AttachRequest::helpers, for the workers that are started from now on. Any thread.
  void set_helpers(std::string helpers);

  /// All devices, from a process of their own that starts none of them. @errors as take().
  Result<std::vector<CudaDevice>> describe();

 private:
  static constexpr std::size_t kMostAhead = 2;

  struct Resting {
    std::string owner;
    Worker worker;
  };

  std::optional<Worker> wake(const std::string& owner);
  Result<WorkerProcess> start(const AttachRequest& request);
  AttachRequest request();
  static Result<Worker> finish_start(WorkerProcess process);
  void note_memory_of(const CudaDevice& device);

  WorkerPool pool_;
  std::mutex mutex_;
  AttachRequest request_;             // guarded by mutex_
  std::deque<WorkerProcess> spares_;  // guarded by mutex_; the oldest first
  std::deque<Resting> resting_;       // guarded by mutex_; the oldest first
  std::deque<WorkerProcess> ending_;  // guarded by mutex_; killed, not yet reaped
  bool large_ = false;                // guarded by mutex_; the GPU has memory to spare
  bool settled_ = true;               // guarded by mutex_
};

}  // namespace ws::cuda
