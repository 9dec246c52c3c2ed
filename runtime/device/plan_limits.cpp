#include "runtime/device/plan_limits.h"

#include <algorithm>

#include "runtime/device/bind.h"
#include "runtime/device/live_blocks.h"

namespace ws {
namespace {

std::string extent_over_limit(const LaunchStep& step, const DeviceLimits& limits) {
  const auto [bx, by, bz] = step.block;
  if (bx > limits.max_threads_per_block || by > limits.max_threads_per_block ||
      bz > limits.max_block_z || bx * by * bz > limits.max_threads_per_block) {
    return "a block of " + std::to_string(bx) + "x" + std::to_string(by) + "x" +
           std::to_string(bz) + " threads; the device allows " +
           std::to_string(limits.max_threads_per_block) + " (at most " +
           std::to_string(limits.max_block_z) + " in z)";
  }
  const auto [gx, gy, gz] = step.grid;
  if (gx > limits.max_grid_x || gy > limits.max_grid_yz || gz > limits.max_grid_yz) {
    return "a grid of " + std::to_string(gx) + "x" + std::to_string(gy) + "x" + std::to_string(gz) +
           " blocks; the device allows " + std::to_string(limits.max_grid_x) + "x" +
           std::to_string(limits.max_grid_yz) + "x" + std::to_string(limits.max_grid_yz);
  }
  if (step.cluster_blocks() > limits.max_cluster_blocks) {
    return "a cluster of " + std::to_string(step.cluster_blocks()) + " blocks; the device allows " +
           std::to_string(limits.max_cluster_blocks);
  }
  return {};
}

/// Compares a cooperative launch with the memory for its blocks, which live at the same time.
std::string live_over_limit(const LaunchStep& step, const CompiledEntry& entry,
                            const DeviceLimits& limits) {
  if (!step.cooperative || limits.max_live_bytes == 0) {
    return {};
  }
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
  const auto blocks = static_cast<std::uint64_t>(step.grid[0] * step.grid[1] * step.grid[2]);
  const auto threads = static_cast<std::uint64_t>(step.block[0] * step.block[1] * step.block[2]);
  const std::uint64_t one =
      live_block_bytes(entry, threads, static_cast<std::uint64_t>(step.shared_bytes));
  if (blocks <= limits.max_live_bytes / one) {
    return {};
  }
  return "all " + std::to_string(blocks) + " blocks of a cooperative launch of `" + step.entry +
         "` run at the same time, and the device has memory for " +
         std::to_string(limits.max_live_bytes / one) + " of them (" +
         std::to_string(limits.max_live_bytes / kMebibyte) + " MiB; each of its " +
         std::to_string(threads) + " threads needs a stack)";
}

/// Compares buffers and their offsets with what the device lets a launch have.
std::string arguments_over_limit(const LaunchStep& step, const std::vector<BufferSpec>& buffers,
                                 const DeviceLimits& limits) {
  for (const LaunchArg& arg : step.args) {
    if (arg.kind != LaunchArg::Kind::kBuffer) {
      continue;
    }
    const BufferSpec& buffer = buffers.at(static_cast<std::size_t>(arg.buffer));
    if (limits.max_argument_bytes != 0 && buffer.bytes() > limits.max_argument_bytes) {
      return "`" + buffer.name + "` has " + std::to_string(buffer.bytes()) +
             " bytes; the device allows " + std::to_string(limits.max_argument_bytes) +
             " for an argument";
    }
    if (arg.byte_offset % limits.offset_alignment != 0) {
      return "argument `" + arg.text + "` begins " + std::to_string(arg.byte_offset) +
             " bytes into the buffer; the device needs a multiple of " +
             std::to_string(limits.offset_alignment);
    }
  }
  return {};
}

/// Compares a launch with the limits of the compiled entry: registers, and its __launch_bounds__.
std::string entry_over_limit(const LaunchStep& step, const CompiledEntry& entry,
                             const std::vector<BufferSpec>& buffers, const DeviceLimits& limits) {
  const std::int64_t threads = block_threads(step, entry);
  if (entry.max_threads >= 0 && threads > entry.max_threads) {
    return "`" + step.entry + "` allows blocks of " + std::to_string(entry.max_threads) +
           " threads by its __launch_bounds__ or registers; the launch has " +
           std::to_string(threads);
  }
  const std::int64_t warps = (threads + limits.warp_size - 1) / limits.warp_size;
  const std::int64_t registers = entry.registers * warps * limits.warp_size;
  if (entry.registers > 0 && registers > limits.registers_per_block) {
    return "`" + step.entry + "` needs " + std::to_string(registers) + " registers (" +
           std::to_string(entry.registers) + " for each of " +
           std::to_string(warps * limits.warp_size) + " threads); the device has " +
           std::to_string(limits.registers_per_block) + " for a block";
  }
  if (step.shared_bytes > limits.max_shared_bytes - entry.shared_bytes) {
    return "`" + step.entry + "` needs " + std::to_string(entry.shared_bytes + step.shared_bytes) +
           " bytes of shared memory (" + std::to_string(entry.shared_bytes - entry.dynamic_bytes) +
           " static, " + std::to_string(step.shared_bytes + entry.dynamic_bytes) +
           " dynamic); the device has " + std::to_string(limits.max_shared_bytes);
  }
  const std::string reason = arguments_over_limit(step, buffers, limits);
  return reason.empty() ? live_over_limit(step, entry, limits) : reason;
}

}  // namespace

std::string launch_name(std::size_t index) {
  return "launches[" + std::to_string(index) + "]";
}

std::int64_t block_threads(const LaunchStep& step, const CompiledEntry& entry) {
  return entry.threads > 0 ? entry.threads : step.block[0] * step.block[1] * step.block[2];
}

std::string unsupported_feature(const ResolvedPlan& plan, const DeviceInfo& device) {
  for (const std::string& feature : features_of(plan)) {
    if (std::find(device.features.begin(), device.features.end(), feature) ==
        device.features.end()) {
      return "the plan has `" + feature + "`, which " + device.name + " (" + device.arch +
             ") cannot run";
    }
  }
  return {};
}

std::string over_limit(const ResolvedPlan& plan, const Image& image, const DeviceLimits& limits) {
  if (std::string reason = Arena::over_limit(plan.buffers, limits.max_buffer_bytes);
      !reason.empty()) {
    return reason;
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const LaunchStep& step = plan.steps[i];
    if (const std::string reason = extent_over_limit(step, limits); !reason.empty()) {
      return launch_name(i) + ": " + reason;
    }
    const CompiledEntry* entry = find_entry(image, plan, i);
    const std::string reason =
        entry == nullptr ? std::string() : entry_over_limit(step, *entry, plan.buffers, limits);
    if (!reason.empty()) {
      return launch_name(i) + ": " + reason;
    }
  }
  return {};
}

}  // namespace ws
