#include "runtime/device/vulkan/worker/plan_runner.h"

#include <algorithm>
#include <cstring>

#include "runtime/device/vulkan/worker/reply.h"

namespace ws::vulkan {
namespace {

/// More than the last cache of a GPU has.
constexpr std::uint64_t kFlushBytes = std::uint64_t{256} << 20U;
constexpr double kNanosecondsPerMicrosecond = 1000;

}  // namespace

Result<std::unique_ptr<PlanRunner>> PlanRunner::create(Device& device, const Load& load,
                                                       std::span<std::byte> host) {
  std::unique_ptr<PlanRunner> runner(new PlanRunner(device, load, host));
  WS_TRY(std::vector<spirv::ShaderCode> codes, spirv::decode_shaders(load.image.blob));
  for (const RunStep& step : load.plan.steps) {
    if (step.entry >= codes.size()) {
      return fail(ErrorCode::kInternal, "the plan launches an entry that the image lacks");
    }
  }
  WS_CHECK(runner->pipelines_.make(std::move(codes)));
  WS_CHECK(runner->prepare());
  return runner;
}

PlanRunner::~PlanRunner() {
  const Api& api = device_.api();
  api.vkDestroyFence(device_.handle(), fence_, nullptr);
  api.vkDestroyQueryPool(device_.handle(), stamps_, nullptr);
  api.vkDestroyCommandPool(device_.handle(), pool_, nullptr);
}

Status PlanRunner::prepare() {
  const Api& api = device_.api();
  VkDevice device = device_.handle();
  WS_TRY(arena_, device_.allocate(Device::Place::kDevice, host_.size()));
  if (arena_.bytes().empty()) {
    WS_TRY(staging_, device_.allocate(Device::Place::kHost, host_.size()));
  }
  WS_CHECK(arguments_.make(load_.plan, pipelines_, arena_));
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device_.queue_family();
  WS_CHECK(check(api.vkCreateCommandPool(device, &pool, nullptr, &pool_), "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = pool_;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  WS_CHECK(check(api.vkAllocateCommandBuffers(device, &commands, &commands_),
                 "vkAllocateCommandBuffers"));
  VkQueryPoolCreateInfo stamps{};
  stamps.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  stamps.queryType = VK_QUERY_TYPE_TIMESTAMP;
  stamps.queryCount = 2;
  WS_CHECK(check(api.vkCreateQueryPool(device, &stamps, nullptr, &stamps_), "vkCreateQueryPool"));
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return check(api.vkCreateFence(device, &fence, nullptr, &fence_), "vkCreateFence");
}

Status PlanRunner::begin() {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  return check(device_.api().vkBeginCommandBuffer(commands_, &info), "vkBeginCommandBuffer");
}

void PlanRunner::record_barrier(VkPipelineStageFlags from, VkPipelineStageFlags to) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  device_.api().vkCmdPipelineBarrier(commands_, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void PlanRunner::record_upload() {
  const Api& api = device_.api();
  if (staging_.handle() != VK_NULL_HANDLE) {
    const VkBufferCopy all = {0, 0, host_.size()};
    api.vkCmdCopyBuffer(commands_, staging_.handle(), arena_.handle(), 1, &all);
    record_barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
  }
}

void PlanRunner::record_flush() {
  if (flushed_.handle() != VK_NULL_HANDLE) {
    device_.api().vkCmdFillBuffer(commands_, flushed_.handle(), 0, VK_WHOLE_SIZE, 0);
    record_barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  }
}

void PlanRunner::record_launches(bool timed) {
  const Api& api = device_.api();
  if (timed) {
    api.vkCmdResetQueryPool(commands_, stamps_, 0, 2);
    api.vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, 0);
  }
  for (const RunRange& buffer : load_.plan.buffers) {
    // Whole words; the bytes behind the last one came as zeros.
    const std::uint64_t words = (buffer.high - buffer.low) / sizeof(std::uint32_t);
    if (buffer.zero && words > 0) {
      api.vkCmdFillBuffer(commands_, arena_.handle(), buffer.low, words * sizeof(std::uint32_t), 0);
    }
  }
  record_barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
  for (std::size_t step = 0; step < load_.plan.steps.size(); ++step) {
    record_dispatch(step, load_.plan.steps[step].grid);
    record_barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  }
  if (timed) {
    api.vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, 1);
  }
}

void PlanRunner::record_dispatch(std::size_t step, const std::array<std::uint32_t, 3>& grid) {
  const Api& api = device_.api();
  const Pipeline& pipeline = pipelines_.all()[load_.plan.steps[step].entry];
  const Arguments& arguments = arguments_.all()[step];
  const std::array sets = {arguments.bindings, arguments.report};
  api.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
  api.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0,
                              static_cast<std::uint32_t>(sets.size()), sets.data(), 0, nullptr);
  if (!arguments.pushed.empty()) {
    api.vkCmdPushConstants(commands_, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           static_cast<std::uint32_t>(arguments.pushed.size()),
                           arguments.pushed.data());
  }
  api.vkCmdDispatch(commands_, grid[0], grid[1], grid[2]);
}

void PlanRunner::record_download() {
  if (staging_.handle() != VK_NULL_HANDLE) {
    const VkBufferCopy all = {0, 0, host_.size()};
    device_.api().vkCmdCopyBuffer(commands_, arena_.handle(), staging_.handle(), 1, &all);
  }
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  device_.api().vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                     VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                     nullptr);
}

Status PlanRunner::submit() {
  const Api& api = device_.api();
  WS_CHECK(check(api.vkEndCommandBuffer(commands_), "vkEndCommandBuffer"));
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands_;
  WS_CHECK(check(api.vkQueueSubmit(device_.queue(), 1, &info, fence_), "vkQueueSubmit"));
  WS_CHECK(check(api.vkWaitForFences(device_.handle(), 1, &fence_, VK_TRUE, UINT64_MAX),
                 "vkWaitForFences"));
  return check(api.vkResetFences(device_.handle(), 1, &fence_), "vkResetFences");
}

void PlanRunner::to_device() {
  const Buffer& into = staging_.handle() == VK_NULL_HANDLE ? arena_ : staging_;
  std::memcpy(into.bytes().data(), host_.data(), host_.size());
  for (const RunRange& buffer : load_.plan.buffers) {
    const std::uint64_t rest = (buffer.high - buffer.low) % sizeof(std::uint32_t);
    if (buffer.zero) {
      std::ranges::fill(into.bytes().subspan(buffer.high - rest, rest), std::byte{0});
    }
  }
  arguments_.clear_reports();
}

void PlanRunner::from_device() {
  const Buffer& from = staging_.handle() == VK_NULL_HANDLE ? arena_ : staging_;
  std::memcpy(host_.data(), from.bytes().data(), host_.size());
}

Result<double> PlanRunner::window_us() const {
  std::array<std::uint64_t, 2> ticks = {0, 0};
  WS_CHECK(check(device_.api().vkGetQueryPoolResults(
                     device_.handle(), stamps_, 0, 2, sizeof ticks, ticks.data(), sizeof ticks[0],
                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "vkGetQueryPoolResults"));
  return static_cast<double>(ticks[1] - ticks[0]) * device_.tick_ns() / kNanosecondsPerMicrosecond;
}

Status PlanRunner::compile() {
  WS_CHECK(begin());
  for (std::size_t step = 0; step < load_.plan.steps.size(); ++step) {
    record_dispatch(step, {0, 0, 0});
  }
  return submit();
}

Result<TimingOutcome> PlanRunner::run() {
  to_device();
  WS_CHECK(begin());
  record_upload();
  record_launches(/*timed=*/false);
  record_download();
  WS_CHECK(submit());
  from_device();
  TimingOutcome outcome;
  outcome.run.reply = reply_of(load_, pipelines_, arguments_, device_.facts().processor);
  return outcome;
}

Result<TimingOutcome> PlanRunner::time(const Doorbell& doorbell) {
  if (device_.tick_ns() == 0) {
    return fail(ErrorCode::kUnsupported, device_.facts().name + " has no timestamps");
  }
  // The server walks over memory before a launch on a processor, whose caches are its own.
  if (doorbell.hot == 0 && !device_.facts().processor && flushed_.handle() == VK_NULL_HANDLE) {
    WS_TRY(flushed_, device_.allocate(Device::Place::kDevice, kFlushBytes));
  }
  TimingOutcome outcome;
  to_device();
  for (std::uint32_t launch = 0; launch < doorbell.launches; ++launch) {
    if (launch > 0 && staging_.handle() == VK_NULL_HANDLE) {
      to_device();
    }
    WS_CHECK(begin());
    record_upload();
    if (doorbell.hot == 0) {
      record_flush();
    }
    record_launches(/*timed=*/true);
    WS_CHECK(submit());
    WS_TRY(const double us, window_us());
    outcome.samples.push_back({.us = us});
  }
  WS_CHECK(begin());
  record_download();
  WS_CHECK(submit());
  from_device();
  outcome.kept = doorbell.launches - 1;
  outcome.run.reply = reply_of(load_, pipelines_, arguments_, device_.facts().processor);
  return outcome;
}

}  // namespace ws::vulkan
