// The Vulkan devices of this machine, and one that is started.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/device/vulkan/device_facts.h"
#include "runtime/device/vulkan/worker/api.h"

namespace ws::vulkan {

/// All devices, GPUs before processors. @errors kUnsupported: no loader, no driver, or none with
/// Vulkan 1.2.
Result<std::vector<DeviceFacts>> describe_devices();

/// Bytes of a device, or of the host where it can reach them.
class Buffer;

/// One device with one queue, as long as the process lives.
class Device {
 public:
  /// @param index  In describe_devices(). @errors as that; kNotFound: no such device.
  static Result<std::unique_ptr<Device>> start(int index);

  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device(Device&&) = delete;
  Device& operator=(Device&&) = delete;

  [[nodiscard]] const Api& api() const { return api_; }

  [[nodiscard]] VkDevice handle() const { return device_; }

  [[nodiscard]] VkQueue queue() const { return queue_; }

  [[nodiscard]] std::uint32_t queue_family() const { return family_; }

  [[nodiscard]] const DeviceFacts& facts() const { return facts_; }

  /// Nanoseconds of one tick of a timestamp; 0: the queue has none.
  [[nodiscard]] double tick_ns() const { return tick_ns_; }

  enum class Place : std::uint8_t {
    kDevice,  ///< The fastest memory; mapped too where the host can reach it.
    kHost,    ///< Mapped.
  };

  /// @errors kDeviceLost: not enough memory.
  Result<Buffer> allocate(Place place, std::uint64_t bytes);

 private:
  Device() = default;

  [[nodiscard]] std::uint32_t memory_type(std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                                          VkMemoryPropertyFlags preferred) const;

  Api api_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  double tick_ns_ = 0;
  VkPhysicalDeviceMemoryProperties memory_{};
  DeviceFacts facts_;
};

/// Gives a buffer and its memory back at the end.
class Buffer {
 public:
  Buffer() = default;

  Buffer(Buffer&& other) noexcept { swap(other); }

  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] VkBuffer handle() const { return buffer_; }

  /// Empty where the host cannot reach it.
  [[nodiscard]] std::span<std::byte> bytes() const { return mapped_; }

 private:
  friend class Device;

  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(buffer_, other.buffer_);
    std::swap(memory_, other.memory_);
    std::swap(mapped_, other.mapped_);
  }

  const Device* device_ = nullptr;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::span<std::byte> mapped_;
};

}  // namespace ws::vulkan
