// A Vulkan driver for tests: libws_fake_vulkan.so. It is lavapipe, but for what its file's own name
// says, so that a test needs a link and a file that describes it only:
//   *.lose_N.so    the device is lost while the host waits for work for the Nth time
//   *.crash.so     making a pipeline crashes
//   *.memory.so    there is no memory for buffers
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#define VK_NO_PROTOTYPES  // NOLINT(readability-identifier-naming): Vulkan's own name.
#include <vulkan/vulkan_core.h>

namespace {

using FindFunction = PFN_vkVoidFunction (*)(VkInstance, const char*);

/// Lavapipe's own entry.
FindFunction real_find() {
  static const auto find = reinterpret_cast<FindFunction>(
      ::dlsym(::dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL), "vk_icdGetInstanceProcAddr"));
  return find;
}

/// The part of this library's name behind `word`, or null where it has none.
const char* scripted(const char* word) {
  static const std::string name = [] {
    Dl_info info{};
    ::dladdr(reinterpret_cast<void*>(&real_find), &info);
    return std::string(info.dli_fname);
  }();
  const std::size_t at = name.rfind(word);
  return at == std::string::npos ? nullptr : name.c_str() + at + std::strlen(word);
}

PFN_vkGetDeviceProcAddr real_device_find = nullptr;
PFN_vkWaitForFences real_wait = nullptr;

VkResult VKAPI_CALL wait_and_lose(VkDevice device, std::uint32_t count, const VkFence* fences,
                                  VkBool32 all, std::uint64_t limit) {
  static int waits = 0;
  const VkResult result = real_wait(device, count, fences, all, limit);
  return ++waits == std::atoi(scripted(".lose_")) ? VK_ERROR_DEVICE_LOST : result;
}

VkResult VKAPI_CALL crash(VkDevice /*device*/, VkPipelineCache /*cache*/, std::uint32_t /*count*/,
                          const VkComputePipelineCreateInfo* /*infos*/,
                          const VkAllocationCallbacks* /*allocator*/, VkPipeline* /*pipelines*/) {
  __builtin_trap();  // A signal that is sent would be refused by the worker's filter.
}

VkResult VKAPI_CALL refuse_memory(VkDevice /*device*/, const VkMemoryAllocateInfo* /*info*/,
                                  const VkAllocationCallbacks* /*allocator*/,
                                  VkDeviceMemory* /*memory*/) {
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

PFN_vkVoidFunction VKAPI_CALL find_of_device(VkDevice device, const char* name) {
  const PFN_vkVoidFunction found = real_device_find(device, name);
  if (scripted(".lose_") != nullptr && std::strcmp(name, "vkWaitForFences") == 0) {
    real_wait = reinterpret_cast<PFN_vkWaitForFences>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(&wait_and_lose);
  }
  if (scripted(".crash.") != nullptr && std::strcmp(name, "vkCreateComputePipelines") == 0) {
    return reinterpret_cast<PFN_vkVoidFunction>(&crash);
  }
  if (scripted(".memory.") != nullptr && std::strcmp(name, "vkAllocateMemory") == 0) {
    return reinterpret_cast<PFN_vkVoidFunction>(&refuse_memory);
  }
  return found;
}

}  // namespace

/// The loader calls these two.
/// @source  "Loader and Driver Interface" of the Vulkan loader, interface version 5.
extern "C" {

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
  constexpr std::uint32_t kInterface = 5;
  *version = kInterface;
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                   const char* name) {
  const PFN_vkVoidFunction found = real_find()(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
    real_device_find = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(&find_of_device);
  }
  return found;
}

}  // extern "C"
