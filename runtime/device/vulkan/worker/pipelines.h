// The entries of a kernel as pipelines.
#pragma once

#include <vector>

#include "runtime/compile/spirv/module.h"
#include "runtime/compile/spirv/shader.h"
#include "runtime/device/vulkan/worker/device.h"

namespace ws::vulkan {

/// An entry, ready to be launched. All handles are the set's.
struct Pipeline {
  spirv::ShaderCode code;
  spirv::Shader shader;
  VkShaderModule module = VK_NULL_HANDLE;
  VkDescriptorSetLayout bindings = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// Pipelines that share the layout of reports (spirv/bounds.h), which is their set 1.
class Pipelines {
 public:
  explicit Pipelines(const Device& device)
      : device_(device) {}

  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;
  ~Pipelines();

  /// @errors kInternal: a module that cannot be read; as check().
  Status make(std::vector<spirv::ShaderCode> codes);

  [[nodiscard]] const std::vector<Pipeline>& all() const { return all_; }

  [[nodiscard]] VkDescriptorSetLayout reports() const { return reports_; }

 private:
  Status make(Pipeline& into);
  [[nodiscard]] Result<VkDescriptorSetLayout> layout_of(
      const std::vector<spirv::Binding>& bindings) const;

  const Device& device_;
  VkDescriptorSetLayout reports_ = VK_NULL_HANDLE;
  std::vector<Pipeline> all_;
};

}  // namespace ws::vulkan
