// Any GPU through Vulkan, and a processor through lavapipe: shaders compiled to SPIR-V run in
// worker processes. The server itself never opens the loader.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/gpu_lock.h"

namespace ws {

struct VulkanOptions {
  std::string executable;  ///< warpsmith; its workers are started from it.
  int device = 0;          ///< GPUs first, then processors.
  std::string drivers;     ///< VK_DRIVER_FILES for the loader; "" = those that are installed.
  std::string lock_folder = cuda::gpu_lock_folder();  ///< Shared by all servers.
};

/// @param compiler  Of shaders; shared by the backends of all devices.
/// @param engine    Runs trusted references in CUDA C++; outlives the backend.
/// @param cores     What the machine's cores are shared by: a processor uses them all.
std::unique_ptr<Backend> make_vulkan_backend(VulkanOptions options,
                                             std::shared_ptr<CompileService> compiler,
                                             Backend& engine, std::shared_ptr<CoreGate> cores);

/// The devices in the order of their numbers, from a process that starts none of them.
/// @errors kUnsupported: no loader or no driver, and what to install.
Result<std::vector<DeviceInfo>> list_vulkan_devices(const VulkanOptions& options);

/// No device: shaders are compiled and cannot run.
std::unique_ptr<Backend> make_offline_vulkan_backend(
    const std::shared_ptr<CompileService>& compiler);

/// The target that shaders are compiled for, as DeviceInfo::arch names it.
inline constexpr const char* kShaderArch = "spirv1.5";

/// How many devices the drivers that are installed may show, from the names of their files and from
/// /sys, in microseconds. They need not all be usable: info() of a backend says so.
///
/// @param drivers  VK_DRIVER_FILES, where it is set.
int count_vulkan_devices(const std::optional<std::string>& drivers);

}  // namespace ws
