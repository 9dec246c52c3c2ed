// The features and limits of a physical device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/device/vulkan/device_facts.h"
#include "runtime/device/vulkan/worker/api.h"

namespace ws::vulkan {

inline constexpr std::uint32_t kApiVersion = VK_API_VERSION_1_2;

/// The features that a device has, as a chain of Vulkan's structs.
class Features {
 public:
  Features(const Api& api, VkPhysicalDevice device);
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
  Features(Features&&) = delete;
  Features& operator=(Features&&) = delete;
  ~Features() = default;

  /// For VkDeviceCreateInfo::pNext: all of them but robustBufferAccess, which costs time and hides
  /// mistakes. Lives as long as this object.
  [[nodiscard]] const void* to_enable();

  /// SPIR-V's numbers. Raw addresses are never among them: a shader could reach everything.
  [[nodiscard]] std::vector<std::uint32_t> capabilities(
      const VkPhysicalDeviceSubgroupProperties& subgroups) const;

 private:
  VkPhysicalDeviceFeatures2 all_{};
  VkPhysicalDeviceVulkan11Features v11_{};
  VkPhysicalDeviceVulkan12Features v12_{};
};

/// Nothing: it has no Vulkan 1.2.
std::optional<DeviceFacts> facts_of(const Api& api, VkPhysicalDevice device);

/// Nanoseconds of one tick of a timestamp.
double tick_of(const Api& api, VkPhysicalDevice device);

}  // namespace ws::vulkan
