#include "runtime/device/vulkan/worker/arguments.h"

#include <algorithm>
#include <cstring>

namespace ws::vulkan {
namespace {

/// The largest alignment of descriptors that Vulkan allows a device to ask for.
constexpr std::uint64_t kAligned = 256;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAligned - 1) / kAligned * kAligned;
}

std::uint64_t constant_bytes(const RunPlan& plan, const Pipelines& pipelines) {
  std::uint64_t bytes = 0;
  for (const RunStep& step : plan.steps) {
    for (const spirv::Binding& binding : pipelines.all().at(step.entry).shader.bindings) {
      bytes += binding.uniform ? aligned(binding.bytes) : 0;
    }
  }
  return bytes;
}

}  // namespace

ArgumentSets::~ArgumentSets() {
  device_.api().vkDestroyDescriptorPool(device_.handle(), pool_, nullptr);
}

Status ArgumentSets::make(const RunPlan& plan, const Pipelines& pipelines, const Buffer& arena) {
  WS_TRY(reports_, device_.allocate(Device::Place::kHost,
                                    std::max<std::size_t>(plan.steps.size(), 1) * kAligned));
  WS_TRY(constants_, device_.allocate(Device::Place::kHost,
                                      std::max(constant_bytes(plan, pipelines), kAligned)));
  WS_CHECK(make_pool(plan, pipelines));
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    const RunStep& launch = plan.steps[step];
    WS_CHECK(make_step(step, launch, pipelines.all().at(launch.entry), pipelines, arena));
  }
  return {};
}

Status ArgumentSets::make_pool(const RunPlan& plan, const Pipelines& pipelines) {
  std::uint32_t storage = 1;
  std::uint32_t uniform = 1;
  for (const RunStep& step : plan.steps) {
    for (const spirv::Binding& binding : pipelines.all().at(step.entry).shader.bindings) {
      ++(binding.uniform ? uniform : storage);
    }
    ++storage;  // Its report.
  }
  const std::array sizes = {
      VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, storage},
      VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, uniform},
  };
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = static_cast<std::uint32_t>(2 * plan.steps.size() + 1);
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  return check(device_.api().vkCreateDescriptorPool(device_.handle(), &info, nullptr, &pool_),
               "vkCreateDescriptorPool");
}

Result<VkDescriptorSet> ArgumentSets::allocate(VkDescriptorSetLayout layout) {
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  WS_CHECK(check(device_.api().vkAllocateDescriptorSets(device_.handle(), &info, &set),
                 "vkAllocateDescriptorSets"));
  return set;
}

void ArgumentSets::write(VkDescriptorSet set, const spirv::Binding& binding,
                         const VkDescriptorBufferInfo& place) {
  VkWriteDescriptorSet info{};
  info.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  info.dstSet = set;
  info.dstBinding = binding.number;
  info.descriptorCount = 1;
  info.descriptorType =
      binding.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  info.pBufferInfo = &place;
  device_.api().vkUpdateDescriptorSets(device_.handle(), 1, &info, 0, nullptr);
}

Status ArgumentSets::make_step(std::size_t step, const RunStep& launch, const Pipeline& pipeline,
                               const Pipelines& pipelines, const Buffer& arena) {
  const spirv::Shader& shader = pipeline.shader;
  Arguments arguments;
  WS_TRY(arguments.bindings, allocate(pipeline.bindings));
  WS_TRY(arguments.report, allocate(pipelines.reports()));
  write(arguments.report, {}, {reports_.handle(), step * kAligned, sizeof(spirv::BoundsReport)});
  arguments.pushed.resize(shader.push_bytes);
  std::vector<std::span<std::byte>> blocks;
  std::size_t next = 0;
  const auto argument = [&]() {
    return next < launch.args.size() ? &launch.args[next++] : nullptr;
  };
  for (const spirv::Binding& binding : shader.bindings) {
    if (binding.uniform) {
      blocks.push_back(constants_.bytes().subspan(constants_used_, binding.bytes));
      write(arguments.bindings, binding, {constants_.handle(), constants_used_, binding.bytes});
      constants_used_ += aligned(binding.bytes);
      continue;
    }
    blocks.emplace_back();
    const RunArg* const arg = argument();
    if (arg == nullptr || !arg->pointer || arg->value > arg->high) {
      return fail(ErrorCode::kInternal, "the plan has no buffer for `" + binding.name + "`");
    }
    // An empty buffer has no descriptor: the word behind it is a guard's.
    const std::uint64_t bytes =
        std::max<std::uint64_t>(arg->high - arg->value, sizeof(std::uint32_t));
    write(arguments.bindings, binding, {arena.handle(), arg->value, bytes});
  }
  for (const spirv::Constant& constant : shader.constants) {
    const RunArg* const arg = argument();
    const std::span<std::byte> block = constant.binding == spirv::Constant::kPushed
                                           ? std::span(arguments.pushed)
                                           : blocks.at(constant.binding);
    if (arg == nullptr || arg->pointer || constant.size > sizeof arg->value ||
        constant.offset + constant.size > block.size()) {
      return fail(ErrorCode::kInternal, "the plan has no number for `" + constant.name + "`");
    }
    std::memcpy(block.data() + constant.offset, &arg->value, constant.size);
  }
  all_.push_back(std::move(arguments));
  return {};
}

spirv::BoundsReport ArgumentSets::report(std::size_t step) const {
  spirv::BoundsReport report;
  std::memcpy(&report, reports_.bytes().data() + step * kAligned, sizeof report);
  return report;
}

void ArgumentSets::clear_reports() {
  std::ranges::fill(reports_.bytes(), std::byte{0});
}

}  // namespace ws::vulkan
