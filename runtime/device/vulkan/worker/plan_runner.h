// One plan on one device: pipelines, a copy of the arena byte for byte (guards included), and the
// launches.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/run_plan.h"
#include "runtime/device/vulkan/worker/arguments.h"

namespace ws::vulkan {

class PlanRunner {
 public:
  /// @param host  The arena, mapped. It and the load outlive the runner.
  /// @errors kInternal: the image is not one of shaders, or not the plan's; as check().
  static Result<std::unique_ptr<PlanRunner>> create(Device& device, const Load& load,
                                                    std::span<std::byte> host);

  PlanRunner(const PlanRunner&) = delete;
  PlanRunner& operator=(const PlanRunner&) = delete;
  ~PlanRunner();

  /// Lets the driver compile the shaders, which some do at the first launch: launches of no group.
  /// @errors as check().
  Status compile();

  /// Upload, all launches, download. @return  How it ended. @errors as check().
  Result<TimingOutcome> run();

  /// So many times the same, each timed on the device.
  /// @errors kUnsupported: the device has no timestamps; as check().
  Result<TimingOutcome> time(const Doorbell& doorbell);

 private:
  PlanRunner(Device& device, const Load& load, std::span<std::byte> host)
      : device_(device),
        load_(load),
        host_(host),
        pipelines_(device),
        arguments_(device) {}

  Status prepare();
  Status begin();
  void record_upload();
  void record_launches(bool timed);
  void record_dispatch(std::size_t step, const std::array<std::uint32_t, 3>& grid);
  void record_download();
  void record_flush();
  void record_barrier(VkPipelineStageFlags from, VkPipelineStageFlags to);
  Status submit();
  void to_device();
  void from_device();
  [[nodiscard]] Result<double> window_us() const;

  Device& device_;
  const Load& load_;
  std::span<std::byte> host_;
  Pipelines pipelines_;
  ArgumentSets arguments_;
  Buffer arena_;
  Buffer staging_;  ///< Where the host cannot reach the arena's copy.
  Buffer flushed_;  ///< Written to put the caches' contents out.
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkQueryPool stamps_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace ws::vulkan
