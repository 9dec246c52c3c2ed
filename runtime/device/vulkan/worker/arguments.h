// The arguments of the launches of a plan, as descriptors and bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/compile/spirv/bounds.h"
#include "runtime/device/run_plan.h"
#include "runtime/device/vulkan/worker/pipelines.h"

namespace ws::vulkan {

/// One launch's.
struct Arguments {
  VkDescriptorSet bindings = VK_NULL_HANDLE;
  VkDescriptorSet report = VK_NULL_HANDLE;
  std::vector<std::byte> pushed;
};

class ArgumentSets {
 public:
  explicit ArgumentSets(Device& device)
      : device_(device) {}

  ArgumentSets(const ArgumentSets&) = delete;
  ArgumentSets& operator=(const ArgumentSets&) = delete;
  ~ArgumentSets();

  /// @param arena  On the device, as large as the plan's. @errors kInternal: a plan that does not
  /// belong to the pipelines; as check().
  Status make(const RunPlan& plan, const Pipelines& pipelines, const Buffer& arena);

  [[nodiscard]] const std::vector<Arguments>& all() const { return all_; }

  /// The report of launch `step` since clear_reports().
  [[nodiscard]] spirv::BoundsReport report(std::size_t step) const;
  void clear_reports();

 private:
  Status make_pool(const RunPlan& plan, const Pipelines& pipelines);
  Status make_step(std::size_t step, const RunStep& launch, const Pipeline& pipeline,
                   const Pipelines& pipelines, const Buffer& arena);
  Result<VkDescriptorSet> allocate(VkDescriptorSetLayout layout);
  void write(VkDescriptorSet set, const spirv::Binding& binding,
             const VkDescriptorBufferInfo& place);

  Device& device_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  Buffer reports_;    ///< One at each multiple of kAligned.
  Buffer constants_;  ///< Blocks of constants, one after the other, each aligned.
  std::uint64_t constants_used_ = 0;
  std::vector<Arguments> all_;
};

}  // namespace ws::vulkan
