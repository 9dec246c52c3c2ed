// BlockRunner's part for warps: operations of several lanes, and which lanes are at a place.
#include <algorithm>
#include <bit>

#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/races/race_watch.h"
#include "runtime/device/cpu/warp_ops.h"

namespace ws::cpu {

std::uint64_t BlockRunner::warp_op(cpu_abi::WarpMode mode, std::uint32_t mask, std::uint64_t value,
                                   std::uint32_t lane, std::uint32_t width, std::uint32_t site) {
  if (watch_ != nullptr && (mask >> (current_ % kWarpSize) & 1U) == 0) {
    watch_->note_mask(current_, site);
  }
  Fiber& fiber = fibers_[current_];
  fiber.state = FiberState::kAtWarpOp;
  fiber.mode = mode;
  fiber.mask = mask | (1U << (current_ % kWarpSize));
  fiber.value = value;
  fiber.lane = lane;
  fiber.width = width;
  fiber.site = site;
  ++at_warp_op_;
  resolve_warp(current_ / kWarpSize);
  resolve_meetings(current_ / kWarpSize);
  advance_warp(current_ / kWarpSize);
  switch_to_next();
  return fiber.value;
}

void BlockRunner::resolve_warp(std::size_t warp) {
  const std::size_t first = warp * kWarpSize;
  const std::size_t count = std::min<std::size_t>(kWarpSize, fibers_.size() - first);
  const WarpView view(fibers_.data() + first, count);
  for (std::size_t lane = 0; lane < count; ++lane) {
    const Fiber& fiber = fibers_[first + lane];
    if (fiber.state != FiberState::kAtWarpOp) {
      continue;
    }
    const std::uint32_t group = view.complete_group(fiber);
    if (group == 0) {
      continue;
    }
    if (!view.same_mode(group)) {
      report_waiting(RunStatus::kBarrierDivergence);
    }
    if (watch_ != nullptr && fiber.mode == cpu_abi::WarpMode::kSync) {
      watch_->sync_warp(warp, group);
    }
    if (watch_ != nullptr && is_reduction(fiber.mode)) {
      look_at_calls(warp, group);
    }
    const std::array<std::uint64_t, kWarpSize> results = view.results(group);
    for (std::size_t other = 0; other < count; ++other) {
      if ((group >> other & 1U) != 0) {
        fibers_[first + other].value = results[other];
        set_ready(first + other);
        --at_warp_op_;
      }
    }
  }
}

/// An H100 waits without end where lanes reduce at different places and the compiler knew one
/// operand; shuffles, votes, matches and __syncwarp() may meet so since Volta, as CUDA's guide
/// says.
void BlockRunner::look_at_calls(std::size_t warp, std::uint32_t group) {
  const std::size_t first = warp * kWarpSize + static_cast<std::size_t>(std::countr_zero(group));
  for (std::uint32_t left = group; left != 0; left &= left - 1) {
    const std::size_t other = warp * kWarpSize + static_cast<std::size_t>(std::countr_zero(left));
    if (fibers_[other].site != fibers_[first].site) {
      watch_->note_meeting(first, fibers_[first].site, other, fibers_[other].site);
      return;
    }
  }
}

std::uint32_t BlockRunner::active_mask(std::uint32_t site) {
  Fiber& fiber = fibers_[current_];
  fiber.state = FiberState::kAtMeeting;
  fiber.site = site;
  ++at_meeting_;
  resolve_meetings(current_ / kWarpSize);
  advance_warp(current_ / kWarpSize);
  switch_to_next();
  return static_cast<std::uint32_t>(fiber.value);
}

/// A lane at a stretch goes its own way since its warp parted: those at a meeting do not wait for
/// it. One at a barrier that all have reached is about to go on.
bool BlockRunner::can_go_on(std::size_t index) const {
  const FiberState state = fibers_[index].state;
  return state == FiberState::kReady ||
         (state == FiberState::kAtBarrier && ready_.has(order_.turn_of(index)));
}

void BlockRunner::resolve_meetings(std::size_t warp) {
  if (at_meeting_ == 0) {
    return;
  }
  const std::size_t first = warp * kWarpSize;
  const std::size_t count = std::min<std::size_t>(kWarpSize, fibers_.size() - first);
  for (std::size_t lane = 0; lane < count; ++lane) {
    if (can_go_on(first + lane)) {
      return;
    }
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    const Fiber& one = fibers_[first + lane];
    if (one.state != FiberState::kAtMeeting) {
      continue;
    }
    std::uint32_t here = 0;
    for (std::size_t other = lane; other < count; ++other) {
      const Fiber& fiber = fibers_[first + other];
      const bool same = fiber.state == FiberState::kAtMeeting && fiber.site == one.site;
      here |= same ? 1U << other : 0U;
    }
    for (std::uint32_t left = here; left != 0; left &= left - 1) {
      const std::size_t member = first + static_cast<std::size_t>(std::countr_zero(left));
      fibers_[member].value = here;
      set_ready(member);
      --at_meeting_;
    }
  }
}

}  // namespace ws::cpu
