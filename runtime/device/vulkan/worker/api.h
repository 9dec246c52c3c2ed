// The Vulkan loader, opened when a worker starts, and its functions.
#pragma once

#define VK_NO_PROTOTYPES  // NOLINT(readability-identifier-naming): Vulkan's own name.
#include <memory>
#include <string>

#include <vulkan/vulkan_core.h>

#include "runtime/base/result.h"

namespace ws::vulkan {

struct Api {
// Each is named as in Vulkan's own documentation.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define WS_VK_GLOBAL(name) PFN_##name name = nullptr;
#define WS_VK_INSTANCE(name) PFN_##name name = nullptr;
#define WS_VK_DEVICE(name) PFN_##name name = nullptr;
#include "runtime/device/vulkan/worker/functions.def"
#undef WS_VK_GLOBAL
#undef WS_VK_INSTANCE
#undef WS_VK_DEVICE
  // NOLINTEND(bugprone-macro-parentheses)
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;

  /// With the functions that need no instance. @param loader  The library's name.
  /// @errors kUnsupported: no loader is installed.
  static Result<Api> open(const std::string& loader = "libvulkan.so.1");

  /// @errors kUnsupported: one is missing, naming it.
  Status find_instance_functions(VkInstance instance);
  Status find_device_functions(VkDevice device);
};

/// @param call  "vkQueueSubmit", for messages.
/// @errors kDeviceLost: `result` is an error, which DeviceError remembers too.
Status check(VkResult result, const char* call);

/// The last error that check() saw in this process; VK_SUCCESS: none.
VkResult last_error();

}  // namespace ws::vulkan
