#include "runtime/device/vulkan/worker/features.h"

#include <algorithm>
#include <cstdio>

namespace ws::vulkan {
namespace {

std::string version_text(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

std::string hex(const std::uint8_t (&bytes)[VK_UUID_SIZE]) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned kHalf = 4;
  constexpr unsigned kMask = 15;
  std::string text;
  for (const unsigned byte : bytes) {
    text += kDigits[byte >> kHalf];
    text += kDigits[byte & kMask];
  }
  return text;
}

std::uint64_t largest_heap(const Api& api, VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory{};
  api.vkGetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
      bytes = std::max(bytes, memory.memoryHeaps[i].size);
    }
  }
  return bytes;
}

}  // namespace

Features::Features(const Api& api, VkPhysicalDevice device) {
  all_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  all_.pNext = &v11_;
  v11_.pNext = &v12_;
  api.vkGetPhysicalDeviceFeatures2(device, &all_);
}

const void* Features::to_enable() {
  all_.features.robustBufferAccess = VK_FALSE;
  v12_.bufferDeviceAddress = VK_FALSE;
  v12_.bufferDeviceAddressCaptureReplay = VK_FALSE;
  v12_.bufferDeviceAddressMultiDevice = VK_FALSE;
  return &all_;
}

std::vector<std::uint32_t> Features::capabilities(
    const VkPhysicalDeviceSubgroupProperties& subgroups) const {
  struct Row {
    std::uint32_t capability;
    bool here;
  };

  const auto operations = [&](VkSubgroupFeatureFlags bit) {
    return (subgroups.supportedOperations & bit) != 0 &&
           (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  };
  const Row rows[] = {
      {0, true},  // Matrix
      {1, true},  // Shader
      {9, v12_.shaderFloat16 != 0},
      {10, all_.features.shaderFloat64 != 0},
      {11, all_.features.shaderInt64 != 0},
      {12, v12_.shaderBufferInt64Atomics != 0},
      {22, all_.features.shaderInt16 != 0},
      {39, v12_.shaderInt8 != 0},
      {61, operations(VK_SUBGROUP_FEATURE_BASIC_BIT)},
      {62, operations(VK_SUBGROUP_FEATURE_VOTE_BIT)},
      {63, operations(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)},
      {64, operations(VK_SUBGROUP_FEATURE_BALLOT_BIT)},
      {65, operations(VK_SUBGROUP_FEATURE_SHUFFLE_BIT)},
      {66, operations(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT)},
      {67, operations(VK_SUBGROUP_FEATURE_CLUSTERED_BIT)},
      {68, operations(VK_SUBGROUP_FEATURE_QUAD_BIT)},
      {4433, v11_.storageBuffer16BitAccess != 0},
      {4434, v11_.uniformAndStorageBuffer16BitAccess != 0},
      {4435, v11_.storagePushConstant16 != 0},
      {4441, v11_.variablePointersStorageBuffer != 0},
      {4442, v11_.variablePointers != 0},
      {4448, v12_.storageBuffer8BitAccess != 0},
      {4449, v12_.uniformAndStorageBuffer8BitAccess != 0},
      {4450, v12_.storagePushConstant8 != 0},
      {5345, v12_.vulkanMemoryModel != 0},
  };
  std::vector<std::uint32_t> found;
  for (const Row& row : rows) {
    if (row.here) {
      found.push_back(row.capability);
    }
  }
  return found;
}

std::optional<DeviceFacts> facts_of(const Api& api, VkPhysicalDevice device) {
  VkPhysicalDeviceProperties2 properties{};
  VkPhysicalDeviceSubgroupProperties subgroups{};
  VkPhysicalDeviceDriverProperties driver{};
  VkPhysicalDeviceIDProperties ids{};
  VkPhysicalDeviceMaintenance3Properties sizes{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  properties.pNext = &subgroups;
  subgroups.pNext = &driver;
  driver.pNext = &ids;
  ids.pNext = &sizes;
  api.vkGetPhysicalDeviceProperties2(device, &properties);
  const VkPhysicalDeviceProperties& general = properties.properties;
  if (general.apiVersion < kApiVersion) {
    return std::nullopt;
  }
  const VkPhysicalDeviceLimits& limits = general.limits;
  DeviceFacts facts;
  facts.name = general.deviceName;
  facts.driver = std::string(driver.driverName) + ", " + driver.driverInfo;
  facts.api = version_text(general.apiVersion);
  facts.processor = general.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  facts.uuid = facts.processor ? "" : hex(ids.deviceUUID);
  facts.max_threads = limits.maxComputeWorkGroupInvocations;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.max_group.at(axis) = limits.maxComputeWorkGroupSize[axis];
    facts.max_grid.at(axis) = limits.maxComputeWorkGroupCount[axis];
  }
  facts.shared_bytes = limits.maxComputeSharedMemorySize;
  facts.subgroup_size = subgroups.subgroupSize;
  facts.argument_bytes = limits.maxStorageBufferRange;
  facts.allocation_bytes = sizes.maxMemoryAllocationSize;
  facts.memory_bytes = largest_heap(api, device);
  facts.offset_alignment = static_cast<std::int64_t>(limits.minStorageBufferOffsetAlignment);
  facts.capabilities = Features(api, device).capabilities(subgroups);
  return facts;
}

double tick_of(const Api& api, VkPhysicalDevice device) {
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  api.vkGetPhysicalDeviceProperties2(device, &properties);
  return properties.properties.limits.timestampPeriod;
}

}  // namespace ws::vulkan
