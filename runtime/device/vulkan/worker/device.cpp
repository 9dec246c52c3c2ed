#include "runtime/device/vulkan/worker/device.h"

#include <algorithm>
#include <optional>

#include "runtime/device/vulkan/worker/features.h"

namespace ws::vulkan {
namespace {

constexpr const char* kInstall =
    "apt install mesa-vulkan-drivers, which has a device on the CPU (lavapipe) too";

struct Found {
  VkPhysicalDevice device = VK_NULL_HANDLE;
  DeviceFacts facts;
};

/// An instance with the functions that it has.
struct Instance {
  Api api;
  VkInstance handle = VK_NULL_HANDLE;
};

Result<Instance> make_instance() {
  Instance instance;
  WS_TRY(instance.api, Api::open());
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "warpsmith";
  application.apiVersion = kApiVersion;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const VkResult made = instance.api.vkCreateInstance(&info, nullptr, &instance.handle);
  if (made != VK_SUCCESS) {
    return fail(ErrorCode::kUnsupported, "no Vulkan driver is here", kInstall,
                "vkCreateInstance returned " + std::to_string(made));
  }
  WS_CHECK(instance.api.find_instance_functions(instance.handle));
  return instance;
}

Result<std::vector<Found>> find_devices(const Instance& instance) {
  std::uint32_t count = 0;
  WS_CHECK(check(instance.api.vkEnumeratePhysicalDevices(instance.handle, &count, nullptr),
                 "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> handles(count);
  WS_CHECK(check(instance.api.vkEnumeratePhysicalDevices(instance.handle, &count, handles.data()),
                 "vkEnumeratePhysicalDevices"));
  std::vector<Found> found;
  for (VkPhysicalDevice handle : handles) {
    if (const std::optional<DeviceFacts> facts = facts_of(instance.api, handle)) {
      found.push_back({handle, *facts});
    }
  }
  std::ranges::stable_sort(found, {}, [](const Found& each) { return each.facts.processor; });
  if (found.empty()) {
    return fail(ErrorCode::kUnsupported, "no device with Vulkan 1.2 is here", kInstall);
  }
  return found;
}

/// A queue that computes, with its timestamps where there are queues that have them.
std::optional<std::uint32_t> computing_family(const Api& api, VkPhysicalDevice device,
                                              bool& stamps) {
  std::uint32_t count = 0;
  api.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  std::optional<std::uint32_t> first;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkQueueFamilyProperties& family = families[i];
    if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
      continue;
    }
    if (family.timestampValidBits != 0) {
      stamps = true;
      return i;
    }
    first = first.value_or(i);
  }
  return first;
}

}  // namespace

Result<std::vector<DeviceFacts>> describe_devices() {
  WS_TRY(const Instance instance, make_instance());
  WS_TRY(const std::vector<Found> found, find_devices(instance));
  std::vector<DeviceFacts> devices;
  devices.reserve(found.size());
  for (const Found& each : found) {
    devices.push_back(each.facts);
  }
  return devices;
}

Result<std::unique_ptr<Device>> Device::start(int index) {
  std::unique_ptr<Device> device(new Device());
  WS_TRY(Instance instance, make_instance());
  device->instance_ = instance.handle;
  WS_TRY(const std::vector<Found> found, find_devices(instance));
  if (index < 0 || static_cast<std::size_t>(index) >= found.size()) {
    return fail(ErrorCode::kNotFound,
                "no Vulkan device " + std::to_string(index) + "; there " +
                    (found.size() == 1 ? "is 1" : "are " + std::to_string(found.size())));
  }
  const Found& chosen = found[static_cast<std::size_t>(index)];
  device->facts_ = chosen.facts;
  bool stamps = false;
  const auto family = computing_family(instance.api, chosen.device, stamps);
  if (!family) {
    return fail(ErrorCode::kUnsupported, chosen.facts.name + " has no queue that computes");
  }
  device->family_ = *family;
  device->tick_ns_ = stamps ? tick_of(instance.api, chosen.device) : 0;
  instance.api.vkGetPhysicalDeviceMemoryProperties(chosen.device, &device->memory_);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = *family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  Features features(instance.api, chosen.device);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = features.to_enable();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  WS_CHECK(check(instance.api.vkCreateDevice(chosen.device, &info, nullptr, &device->device_),
                 "vkCreateDevice"));
  WS_CHECK(instance.api.find_device_functions(device->device_));
  device->api_ = instance.api;
  device->api_.vkGetDeviceQueue(device->device_, *family, 0, &device->queue_);
  return device;
}

Device::~Device() {
  if (device_ != VK_NULL_HANDLE) {
    api_.vkDestroyDevice(device_, nullptr);
  }
}

std::uint32_t Device::memory_type(std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                                  VkMemoryPropertyFlags preferred) const {
  std::uint32_t best = UINT32_MAX;
  for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory_.memoryTypes[i].propertyFlags;
    if ((allowed >> i & 1U) == 0 || (flags & wanted) != wanted) {
      continue;
    }
    if ((flags & preferred) == preferred) {
      return i;
    }
    best = std::min(best, i);
  }
  return best;
}

Result<Buffer> Device::allocate(Place place, std::uint64_t bytes) {
  constexpr VkMemoryPropertyFlags kMapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  Buffer buffer;
  buffer.device_ = this;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  WS_CHECK(check(api_.vkCreateBuffer(device_, &info, nullptr, &buffer.buffer_), "vkCreateBuffer"));
  VkMemoryRequirements needs{};
  api_.vkGetBufferMemoryRequirements(device_, buffer.buffer_, &needs);
  VkMemoryAllocateInfo memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory.allocationSize = needs.size;
  const VkMemoryPropertyFlags wanted =
      place == Place::kDevice ? VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT}
                              : kMapped;
  // Mapped memory of a GPU may be slower for the GPU.
  const VkMemoryPropertyFlags preferred = place == Place::kHost
                                              ? wanted | VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                          : facts_.processor ? wanted | kMapped
                                                             : wanted;
  memory.memoryTypeIndex = memory_type(needs.memoryTypeBits, wanted, preferred);
  if (memory.memoryTypeIndex == UINT32_MAX) {
    return fail(ErrorCode::kUnsupported,
                "the Vulkan device has no memory of the kind that is needed");
  }
  WS_CHECK(
      check(api_.vkAllocateMemory(device_, &memory, nullptr, &buffer.memory_), "vkAllocateMemory"));
  WS_CHECK(check(api_.vkBindBufferMemory(device_, buffer.buffer_, buffer.memory_, 0),
                 "vkBindBufferMemory"));
  if ((memory_.memoryTypes[memory.memoryTypeIndex].propertyFlags & kMapped) == kMapped) {
    void* at = nullptr;
    WS_CHECK(
        check(api_.vkMapMemory(device_, buffer.memory_, 0, VK_WHOLE_SIZE, 0, &at), "vkMapMemory"));
    buffer.mapped_ = {static_cast<std::byte*>(at), bytes};
  }
  return buffer;
}

Buffer::~Buffer() {
  if (device_ != nullptr) {
    device_->api().vkDestroyBuffer(device_->handle(), buffer_, nullptr);
    device_->api().vkFreeMemory(device_->handle(), memory_, nullptr);
  }
}

}  // namespace ws::vulkan
