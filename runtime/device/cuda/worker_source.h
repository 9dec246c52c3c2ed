// GPU workers that have their device started. Starting a device takes longer than most kernels, and
// drivers start one after the other, however many wait. So some are kept ahead; and a worker whose
// kernel ran well rests, for the next kernel of the same owner: a kernel on its next workload or
// with other parameters, the reference and the baseline of one candidate after the other. One whose
// kernel was found right goes to the next candidate of the same batch. Each
// holds some of the GPU's memory: after a while in which nobody asked for one all but one are
// ended.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/fair_semaphore.h"
#include "runtime/device/cuda/worker/protocol.h"
#include "runtime/queue/worker_pool.h"

namespace ws::cuda {

class WorkerSource {
 public:
  /// From a started process to its device's answer.
  static constexpr std::chrono::seconds kAttachDeadline{60};

  /// Longer than most agents think between two calls; a new worker takes a tenth of a second.
  static constexpr std::chrono::minutes kIdle{2};

  /// @param role  Of the workers: "cuda", "hip".
  /// @param idle  So long after the last call all that wait are ended but one that ran nothing yet.
  WorkerSource(std::string executable, std::string role, AttachRequest request,
               std::chrono::milliseconds idle = kIdle);

  struct Worker {
    WorkerProcess process;
    CudaDevice device;
    bool rested = false;          ///< It ran kernels of this owner, or of its batch, before.
    std::size_t handed_over = 0;  ///< How often it was left to the batch.
  };

  /// How often a worker is handed over; then it rests for its last owner alone. A kernel that is
  /// validated and timed hands it over twice.
  static constexpr std::size_t kMostHandedOver = 32;

  /// As RunPlan has them.
  struct Tenant {
    std::string owner;
    std::string batch;
    bool library = false;  ///< It calls a library: none of those that wait for kernels will do.
  };

  /// A worker that nobody else has, one of the owner's that rests, one that was left to its batch,
  /// or a fresh one; its device is started and was tried. @errors as Context::attach; kIo,
  /// kDeviceLost: the process could not be started or died. Any thread.
  /// @param tenant  Without an owner: a fresh one.
  Result<Worker> take(const Tenant& tenant);

  /// Takes back a worker whose last doorbell went well. One too many is ended, the one that rested
  /// longest: each holds up to half a gibibyte of the GPU's memory. Any thread.
  /// @param verified  Its kernel was found right: it is left to the tenant's batch.
  void rest(Worker worker, const Tenant& tenant, bool verified);

  /// Begins to start the next workers, up to `most` and as many as the GPU has memory for: one, or
  /// two. Any thread; does not wait for the device.
  void prepare(std::size_t most = kMostAhead);

  /// As AttachRequest::helpers, for the workers that are started from now on. Any thread.
  void set_helpers(std::string helpers);

  /// The worker that uses the device holds a place: this server's kernels run one after the other.
  FairSemaphore& doorbells() { return doorbells_; }

  /// All devices, from a process of their own that starts none of them. @errors as take().
  Result<std::vector<CudaDevice>> describe();

 private:
  static constexpr std::size_t kMostAhead = 2;

  struct Resting {
    Tenant tenant;  ///< An owner, or a batch without one.
    Worker worker;
  };

  std::optional<Worker> wake(const Tenant& tenant);
  Result<WorkerProcess> start(const AttachRequest& request);
  AttachRequest request();
  static Result<Worker> finish_start(WorkerProcess process);
  void note_memory_of(const CudaDevice& device);

  /// Workers that an idle server does not need. One stays: where no process has the driver open it
  /// takes the GPU down.
  [[nodiscard]] bool keeps_idle() const { return spares_.size() > 1 || !resting_.empty(); }

  void note_use();  ///< Before one more is kept.
  /// Ends what rests, and the spare workers but the last.
  void end_all_but_one(std::unique_lock<std::mutex>& lock);
  void end_the_idle(const std::stop_token& stop);

  const std::chrono::milliseconds idle_;
  WorkerPool pool_;
  FairSemaphore doorbells_{1};
  std::mutex mutex_;
  AttachRequest request_;             // guarded by mutex_
  std::deque<WorkerProcess> spares_;  // guarded by mutex_; the oldest first
  std::deque<Resting> resting_;       // guarded by mutex_; the oldest first
  std::deque<WorkerProcess> ending_;  // guarded by mutex_; killed, not yet reaped
  bool large_ = false;                // guarded by mutex_; the GPU has memory to spare
  Clock::time_point used_;            // guarded by mutex_; when the last one was asked for or kept
  std::condition_variable_any kept_;  // keeps_idle() may be true now.
  std::jthread ender_;                // Last: it uses the others.
};

}  // namespace ws::cuda
