// AMD's GPUs through the HIP runtime: kernels compiled by hiprtc run in worker processes, as on
// NVIDIA's. Not run on AMD hardware yet.
#pragma once

#include <memory>
#include <string>

#include "runtime/compile/hip_service.h"
#include "runtime/device/backend.h"
#include "runtime/device/cuda/gpu_lock.h"

namespace ws {

struct HipOptions {
  std::string executable;  ///< warpsmith; its workers are started from it.
  int device = 0;          ///< As the runtime counts: of those that are visible.
  std::string visible;     ///< HIP_VISIBLE_DEVICES for the runtime; "" = all.
  std::string library;     ///< The runtime; "" = the one that is installed.
  std::string helpers;     ///< Code of our own kernels; "" = compiled when they are needed.
  std::string lock_folder = cuda::gpu_lock_folder();  ///< Shared by all servers.
};

/// @param compiler  Shared by the backends of all devices.
std::unique_ptr<Backend> make_hip_backend(HipOptions options,
                                          std::shared_ptr<HipCompiler> compiler);

/// An architecture without its device: kernels are compiled for it and cannot run.
///
/// @param arch  "gfx90a".
std::unique_ptr<Backend> make_offline_hip_backend(std::string arch,
                                                  std::shared_ptr<HipCompiler> compiler);

/// How many GPUs the kernel driver shows, read from /sys in microseconds. They need not all be
/// usable, or visible: info() of a backend says so.
int count_hip_devices();

}  // namespace ws
