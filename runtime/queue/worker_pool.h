// Fresh worker processes, started ahead so that a job does not wait for fork and exec.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/queue/process.h"

namespace ws {

/// One thread starts all workers and lives as long as the pool: a worker dies with the thread that
/// started it.
class WorkerPool {
 public:
  struct Options {
    std::string executable;
    std::string role;        ///< "run", "compile" or "nvrtc".
    std::size_t spares = 2;  ///< Kept waiting once the first worker was asked for.
    WorkerOutput output = WorkerOutput::kShared;
  };

  explicit WorkerPool(Options options);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// A process that nobody else has. @errors kIo: it cannot be started. Any thread.
  Result<WorkerProcess> take();

  /// Starts the spares now, in the background. Any thread.
  void warm();

 private:
  void spawn_until_stopped();

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<WorkerProcess>> ready_;  // guarded by mutex_
  std::size_t waiting_ = 0;                  // guarded by mutex_; callers of take()
  bool warm_ = false;                        // guarded by mutex_
  bool stopping_ = false;                    // guarded by mutex_
  std::jthread spawner_;
};

}  // namespace ws
