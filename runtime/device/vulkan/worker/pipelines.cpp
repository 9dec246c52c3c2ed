#include "runtime/device/vulkan/worker/pipelines.h"

#include <array>

namespace ws::vulkan {

Pipelines::~Pipelines() {
  const Api& api = device_.api();
  VkDevice device = device_.handle();
  for (const Pipeline& each : all_) {
    api.vkDestroyPipeline(device, each.pipeline, nullptr);
    api.vkDestroyPipelineLayout(device, each.layout, nullptr);
    api.vkDestroyDescriptorSetLayout(device, each.bindings, nullptr);
    api.vkDestroyShaderModule(device, each.module, nullptr);
  }
  api.vkDestroyDescriptorSetLayout(device, reports_, nullptr);
}

Status Pipelines::make(std::vector<spirv::ShaderCode> codes) {
  WS_TRY(reports_, layout_of({spirv::Binding{}}));
  for (spirv::ShaderCode& code : codes) {
    Pipeline& pipeline = all_.emplace_back();
    pipeline.code = std::move(code);
    const Result<spirv::Shader> shader = spirv::read_shader(pipeline.code.words);
    if (!shader) {
      return fail(ErrorCode::kInternal, shader.error().message);
    }
    pipeline.shader = *shader;
    WS_CHECK(make(pipeline));
  }
  return {};
}

Result<VkDescriptorSetLayout> Pipelines::layout_of(
    const std::vector<spirv::Binding>& bindings) const {
  std::vector<VkDescriptorSetLayoutBinding> rows;
  for (const spirv::Binding& binding : bindings) {
    VkDescriptorSetLayoutBinding row{};
    row.binding = binding.number;
    row.descriptorType =
        binding.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    row.descriptorCount = 1;
    row.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    rows.push_back(row);
  }
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  info.bindingCount = static_cast<std::uint32_t>(rows.size());
  info.pBindings = rows.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  WS_CHECK(
      check(device_.api().vkCreateDescriptorSetLayout(device_.handle(), &info, nullptr, &layout),
            "vkCreateDescriptorSetLayout"));
  return layout;
}

Status Pipelines::make(Pipeline& into) {
  const Api& api = device_.api();
  WS_TRY(into.bindings, layout_of(into.shader.bindings));
  const std::array layouts = {into.bindings, reports_};
  const VkPushConstantRange pushed = {VK_SHADER_STAGE_COMPUTE_BIT, 0, into.shader.push_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = static_cast<std::uint32_t>(layouts.size());
  layout.pSetLayouts = layouts.data();
  layout.pushConstantRangeCount = into.shader.push_bytes == 0 ? 0 : 1;
  layout.pPushConstantRanges = &pushed;
  WS_CHECK(check(api.vkCreatePipelineLayout(device_.handle(), &layout, nullptr, &into.layout),
                 "vkCreatePipelineLayout"));
  VkShaderModuleCreateInfo module{};
  module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module.codeSize = into.code.words.size() * sizeof(std::uint32_t);
  module.pCode = into.code.words.data();
  WS_CHECK(check(api.vkCreateShaderModule(device_.handle(), &module, nullptr, &into.module),
                 "vkCreateShaderModule"));
  VkComputePipelineCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = into.module;
  pipeline.stage.pName = into.shader.entry.c_str();
  pipeline.layout = into.layout;
  return check(api.vkCreateComputePipelines(device_.handle(), VK_NULL_HANDLE, 1, &pipeline, nullptr,
                                            &into.pipeline),
               "vkCreateComputePipelines");
}

}  // namespace ws::vulkan
