#include "runtime/device/vulkan/worker/api.h"

#include <dlfcn.h>

namespace ws::vulkan {
namespace {

VkResult& remembered() {
  static VkResult result = VK_SUCCESS;
  return result;
}

Status missing(const char* name) {
  return fail(ErrorCode::kUnsupported, std::string("the Vulkan driver has no function ") + name,
              "Vulkan 1.2 or newer is needed");
}

}  // namespace

Result<Api> Api::open(const std::string& loader) {
  void* const opened = ::dlopen(loader.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    return fail(ErrorCode::kUnsupported, "no Vulkan loader is here: " + loader + " is missing",
                "apt install mesa-vulkan-drivers, which has a device on the CPU (lavapipe) too",
                ::dlerror());  // NOLINT(concurrency-mt-unsafe)
  }
  Api api;
  api.vkGetInstanceProcAddr =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(opened, "vkGetInstanceProcAddr"));
  if (api.vkGetInstanceProcAddr == nullptr) {
    return fail(missing("vkGetInstanceProcAddr").error());
  }
#define WS_VK_GLOBAL(name) \
  api.name = reinterpret_cast<PFN_##name>(api.vkGetInstanceProcAddr(nullptr, #name));
#define WS_VK_INSTANCE(name)
#define WS_VK_DEVICE(name)
#include "runtime/device/vulkan/worker/functions.def"
#undef WS_VK_GLOBAL
#undef WS_VK_INSTANCE
#undef WS_VK_DEVICE
  return api;
}

Status Api::find_instance_functions(VkInstance instance) {
#define WS_VK_GLOBAL(name)
#define WS_VK_DEVICE(name)
#define WS_VK_INSTANCE(name)                                                   \
  name = reinterpret_cast<PFN_##name>(vkGetInstanceProcAddr(instance, #name)); \
  if (name == nullptr) {                                                       \
    return missing(#name);                                                     \
  }
#include "runtime/device/vulkan/worker/functions.def"
#undef WS_VK_GLOBAL
#undef WS_VK_INSTANCE
#undef WS_VK_DEVICE
  return {};
}

// NOLINTNEXTLINE(readability-function-size): a row of the table is a statement.
Status Api::find_device_functions(VkDevice device) {
#define WS_VK_GLOBAL(name)
#define WS_VK_INSTANCE(name)
#define WS_VK_DEVICE(name)                                                 \
  name = reinterpret_cast<PFN_##name>(vkGetDeviceProcAddr(device, #name)); \
  if (name == nullptr) {                                                   \
    return missing(#name);                                                 \
  }
#include "runtime/device/vulkan/worker/functions.def"
#undef WS_VK_GLOBAL
#undef WS_VK_INSTANCE
#undef WS_VK_DEVICE
  return {};
}

Status check(VkResult result, const char* call) {
  if (result >= VK_SUCCESS) {
    return {};
  }
  remembered() = result;
  return fail(ErrorCode::kDeviceLost, "the Vulkan driver failed", {},
              std::string(call) + " returned " + std::to_string(result));
}

VkResult last_error() {
  return remembered();
}

}  // namespace ws::vulkan
