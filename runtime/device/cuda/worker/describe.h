// The driver's description of its devices, and the form in which a worker sends it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/cuda/driver/driver.h"

namespace ws::cuda {

struct CudaDevice {
  std::string name;
  std::string uuid;  ///< "GPU-xxxxxxxx-xxxx-...", "MIG-..." for a part of one.
  std::string arch;  ///< "sm_90a": what the device's own compiler target is.
  std::int64_t sm_count = 0;
  std::int64_t max_threads_per_block = 0;
  std::int64_t max_threads_per_sm = 0;
  std::int64_t max_block_z = 0;
  std::int64_t max_grid_x = 0;
  std::int64_t max_grid_yz = 0;
  std::int64_t max_shared_bytes = 0;  ///< The limit of a block that opted in; static and dynamic.
  std::int64_t warp_size = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::int64_t sm_clock_mhz = 0;      ///< Its highest.
  std::int64_t memory_clock_mhz = 0;  ///< Its highest.
  std::string driver;                 ///< "CUDA 13.0"
  bool mps = false;                   ///< Shared through the multi-process service.
  bool mig = false;                   ///< A part of a GPU.
};

/// All devices, in the order of their PCI addresses. @errors as Driver::check.
Result<std::vector<CudaDevice>> describe_devices(Driver& driver);

/// One device. @errors kNotFound: `index` is not that of a device; as Driver::check.
Result<CudaDevice> describe_device(Driver& driver, int index);

/// JSON, for a frame between processes.
std::string encode_devices(const std::vector<CudaDevice>& devices);
/// @errors kInternal: not what encode_devices() writes.
Result<std::vector<CudaDevice>> decode_devices(std::string_view text);

}  // namespace ws::cuda
