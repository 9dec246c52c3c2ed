// NVIDIA GPUs through the CUDA driver: kernels compiled by NVRTC run in worker processes, one of
// which at a time has a kernel under test. The server itself never opens the driver.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"

namespace ws {

struct CudaOptions {
  std::string executable;  ///< warpsmith; its workers are started from it.
  int device = 0;          ///< In the order of PCI addresses.
  std::string library;     ///< The driver; "" = the one that is installed.
  std::string nvml;        ///< The management library; "" = the one that is installed, if any.
  std::string lock_folder = "/tmp";  ///< Shared by all servers: the locks of the GPUs.
};

/// @param compiler  Of role "nvrtc"; shared by the backends of all devices.
std::unique_ptr<Backend> make_cuda_backend(CudaOptions options,
                                           std::shared_ptr<CompileService> compiler);

/// How many GPUs the machine has, read from /proc and /dev in microseconds without the driver.
/// They need not all be usable: info() of a backend says so.
int count_cuda_devices();

}  // namespace ws
