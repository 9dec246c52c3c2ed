#include "runtime/device/cuda/described.h"

#include <algorithm>

namespace ws::cuda {
namespace {

/// A driver that fails may take seconds to say so: not at each call.
constexpr std::chrono::seconds kFailureKept{30};
/// Four copies of the buffers lie on the GPU while two kernels are timed against each other; the
/// rest is for their contexts.
constexpr std::uint64_t kShareOfMemory = 6;

}  // namespace

Result<CudaDevice> Described::get() {
  const std::lock_guard lock(mutex_);
  if (device_) {
    return *device_;
  }
  if (failure_ && Clock::now() < failure_->second) {
    return fail(failure_->first);
  }
  auto described = workers_->describe();
  if (!described) {
    failure_.emplace(described.error(), Clock::now() + kFailureKept);
    return fail(described.error());
  }
  std::vector<CudaDevice> devices = *std::move(described);
  if (index_ < 0 || static_cast<std::size_t>(index_) >= devices.size()) {
    return fail(ErrorCode::kNotFound,
                "there is no device " + id_ + "; the driver has " + std::to_string(devices.size()),
                "call list_devices");
  }
  device_ = std::move(devices[static_cast<std::size_t>(index_)]);
  return *device_;
}

DeviceInfo device_info(const CudaDevice& device, const std::string& id,
                       const std::string& toolkit) {
  DeviceInfo info;
  info.id = id;
  info.name = device.name;
  info.arch = device.arch;
  info.toolkit = toolkit;
  info.limits.max_threads_per_block = device.max_threads_per_block;
  info.limits.max_shared_bytes = device.max_shared_bytes;
  info.limits.warp_size = device.warp_size;
  info.limits.max_block_z = device.max_block_z;
  info.limits.max_grid_x = device.max_grid_x;
  info.limits.max_grid_yz = device.max_grid_yz;
  info.limits.max_buffer_bytes =
      std::min(info.limits.max_buffer_bytes, device.memory_bytes / kShareOfMemory);
  info.uuid = device.uuid;
  info.driver = device.driver;
  info.sm_count = device.sm_count;
  info.memory_bytes = device.memory_bytes;
  info.l2_bytes = device.l2_bytes;
  return info;
}

}  // namespace ws::cuda
