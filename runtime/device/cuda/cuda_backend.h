// NVIDIA GPUs through the CUDA driver: kernels compiled by NVRTC run in worker processes, one of
// which at a time has a kernel under test. The server itself never opens the driver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/gpu_lock.h"
#include "runtime/device/language_compiler.h"

namespace ws {

struct CudaOptions {
  std::string executable;  ///< warpsmith; its workers are started from it.
  int device = 0;          ///< As the driver counts: of those that are visible.
  std::string visible;     ///< CUDA_VISIBLE_DEVICES for the driver; "" = all, by PCI address.
  std::string library;     ///< The driver; "" = the one that is installed.
  std::string nvml;        ///< The management library; "" = the one that is installed, if any.
  /// CUPTI for what counts, by its whole path; "" = none was found.
  std::string cupti = {};
  /// compute-sanitizer, by its whole path; "" = none was found.
  std::string sanitizer = {};
  /// cuBLASLt and cuDNN, likewise.
  std::string cublas = {};
  std::string cudnn = {};
  /// Where to look for PyTorch, by whole paths.
  std::vector<std::string> interpreters = {};
  std::string lock_folder = cuda::gpu_lock_folder();  ///< Shared by all servers.
};

/// It is a CountsInHardware, a Sanitizes, a RunsModules and a CallsLibraries too.
/// @param compiler  Of role "nvrtc"; shared by the backends of all devices.
/// @param tiles     Of a language of tiles; null: there is none.
std::unique_ptr<Backend> make_cuda_backend(CudaOptions options,
                                           std::shared_ptr<CompileService> compiler,
                                           std::shared_ptr<LanguageCompiler> tiles = nullptr);

/// How many GPUs the driver will show, read from /proc and /dev in microseconds without it. They
/// need not all be usable: info() of a backend says so.
///
/// @param visible  CUDA_VISIBLE_DEVICES, where it is set.
int count_cuda_devices(const std::optional<std::string>& visible);

/// The number of the `present` GPUs that `visible` lists, up to the first item that is no number: a
/// number below `present`, or a UUID ("GPU-...", "MIG-...") or its beginning.
/// @source CUDA programming guide, CUDA environment variables.
int count_visible(int present, std::string_view visible);

}  // namespace ws
