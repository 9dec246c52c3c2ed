// Workers with PyTorch on a GPU. Importing PyTorch and compiling a module take seconds, so a worker
// rests after its session, for the next session of the same module in the same mode.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/temp_folder.h"
#include "runtime/device/cuda/torch/torch_wire.h"
#include "runtime/queue/worker_pool.h"

namespace ws::cuda {

struct TorchOptions {
  std::string executable;
  std::vector<std::string> interpreters;  ///< Tried in turn, by whole paths.
  int device = 0;                         ///< As TorchStart.
  std::string visible;
};

class TorchWorkers {
 public:
  /// From the start of a worker, or of a module, to its answer: max-autotune takes minutes.
  static constexpr std::chrono::minutes kReadyLimit{5};

  explicit TorchWorkers(TorchOptions options);

  struct Worker {
    std::unique_ptr<TempFolder> scratch;  ///< Lives longer than the process.
    WorkerProcess process;
  };

  /// A worker that has made this module before, or a fresh one whose PyTorch is loaded.
  /// @errors kUnsupported: no interpreter has PyTorch with CUDA; kIo; kTimeout; kCancelled.
  Result<Worker> take(const ModuleRun& module, const std::stop_token& stop);

  /// Takes back a worker whose session went well. Any thread.
  void rest(Worker worker, const ModuleRun& module);

 private:
  /// So many keep their memory of the GPU, half a gibibyte each, and so long.
  static constexpr std::size_t kMostResting = 2;
  static constexpr std::chrono::minutes kIdle{5};

  struct Resting {
    std::string key;
    Worker worker;
    Clock::time_point since;
  };

  static std::string key_of(const ModuleRun& module);
  std::optional<Worker> wake(const std::string& key);
  /// Nothing: this interpreter has no PyTorch with CUDA, and `why` says what it lacks.
  Result<std::optional<Worker>> start(const std::string& interpreter, bool compiles,
                                      std::string& why, const std::stop_token& stop);
  void end_the_idle(const std::stop_token& stop);

  const TorchOptions options_;
  WorkerPool pool_;
  std::mutex mutex_;
  std::deque<Resting> resting_;  // guarded by mutex_; the oldest first
  std::string interpreter_;      // guarded by mutex_; the one that has PyTorch, where known
  std::condition_variable_any rested_;
  std::jthread ender_;  // Last: it uses the others.
};

}  // namespace ws::cuda
