#include "runtime/device/vulkan/worker/reply.h"

#include <algorithm>

#include "runtime/device/cpu/abi.h"
#include "runtime/device/driver_fault.h"

namespace ws::vulkan {
namespace {

RunReply endless_loop(std::size_t step, const spirv::CheckedAccess& loop) {
  RunReply reply;
  reply.status = RunStatus::kDriverError;
  reply.detail = kVulkanCode | kEndlessLoop;
  reply.step = static_cast<std::uint32_t>(step);
  reply.site = loop.site;
  return reply;
}

/// Where the access went: into an argument, or an array that the shader declares.
void put_object(RunReply& reply, const Load& load, const RunStep& launch,
                const spirv::CheckedAccess& access, const spirv::BoundsReport& report) {
  const std::int64_t bytes = std::max<std::uint32_t>(access.element_bytes, 1);
  const std::vector<std::string>& objects = load.image.objects;
  const bool named = access.object < objects.size() && !objects[access.object].empty();
  reply.object =
      static_cast<std::uint32_t>(named ? cpu_abi::Object::kVariable : cpu_abi::Object::kLocal);
  reply.object_id = access.object;
  reply.length = report.length * bytes;
  reply.offset = static_cast<std::int32_t>(report.index) * bytes;
  if (access.param < launch.args.size()) {
    const RunArg& arg = launch.args[access.param];
    const auto buffer = std::ranges::find(load.plan.buffers, arg.low, &RunRange::low);
    reply.object = static_cast<std::uint32_t>(cpu_abi::Object::kUnknown);
    reply.object_id = static_cast<std::uint32_t>(buffer - load.plan.buffers.begin());
    reply.length = static_cast<std::int64_t>(arg.high - arg.low);
    reply.offset += static_cast<std::int64_t>(arg.value - arg.low);
  }
}

RunReply out_of_bounds(std::size_t step, const Load& load, const spirv::CheckedAccess& access,
                       const spirv::BoundsReport& report) {
  RunReply reply;
  reply.status = RunStatus::kOutOfBounds;
  reply.step = static_cast<std::uint32_t>(step);
  put_object(reply, load, load.plan.steps[step], access, report);
  reply.access_bytes = access.element_bytes;
  reply.write = access.write;
  reply.site = access.site;
  reply.has_block = 1;
  reply.has_thread = 1;
  std::ranges::copy(report.block, reply.block.begin());
  std::ranges::copy(report.thread, reply.thread.begin());
  return reply;
}

}  // namespace

RunReply reply_of(const Load& load, const Pipelines& pipelines, const ArgumentSets& arguments,
                  bool processor) {
  for (std::size_t step = 0; step < load.plan.steps.size(); ++step) {
    const auto& accesses = pipelines.all()[load.plan.steps[step].entry].code.accesses;
    const spirv::BoundsReport report = arguments.report(step);
    if (report.turns != 0 && report.turns <= accesses.size() && processor) {
      return endless_loop(step, accesses[report.turns - 1]);
    }
    if (report.found != 0 && report.access < accesses.size()) {
      return out_of_bounds(step, load, accesses[report.access], report);
    }
  }
  return {};
}

}  // namespace ws::vulkan
