// The server's side of a worker that times a PyTorch module on a GPU.
#pragma once

#include <memory>
#include <random>
#include <string>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/gpu_lock.h"
#include "runtime/device/cuda/torch/torch_workers.h"
#include "runtime/device/cuda/worker_source.h"

namespace ws::cuda {

/// The parts that all sessions of a device share.
struct TorchSeat {
  std::shared_ptr<TorchWorkers> workers;
  std::shared_ptr<WorkerSource> source;  ///< Its doorbells: kernels and modules take turns.
  std::string lock_folder;
};

/// As RunsModules::open_module().
/// @param uuid  The GPU's, by which it is locked.
Result<std::unique_ptr<Session>> open_torch_session(const TorchSeat& seat, const std::string& uuid,
                                                    const ModuleRun& module,
                                                    const ResolvedPlan& plan,
                                                    std::shared_ptr<Arena> arena,
                                                    const std::stop_token& stop);

}  // namespace ws::cuda
