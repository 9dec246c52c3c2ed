// BlockRunner's part for profile builds: the threads of a warp run stretch by stretch side by side,
// as on a GPU, so that what they access with one instruction is known as one request.
//
// When no thread of a warp can go on, those that wait at the lowest stretch go next. Stretches are
// numbered so that threads that parted at a branch meet again where its ways join; the same rule is
// known as thread frontiers (Diamos et al., MICRO 2011).
#include <algorithm>
#include <bit>

#include "runtime/compile/gpu_latency.h"
#include "runtime/device/cpu/block_runner.h"

namespace ws::cpu {
namespace {

/// Turns after which threads that were passed over go first: a thread that spins until another of
/// its warp, which waits behind it, lets it go would spin for ever.
constexpr std::uint32_t kPatience = 4096;

}  // namespace

void BlockRunner::note_access(std::uint64_t address, std::uint32_t bytes) {
  if (profiler_ != nullptr) {
    profiler_->note(current_, address, bytes);
  }
}

void BlockRunner::sleep(std::uint32_t nanoseconds) {
  if (work_of_ != nullptr) {  // So that blocks which are not counted cannot sleep for nothing.
    work_ += std::min(nanoseconds, kMostSleepNs);
  }
  if (profiler_ != nullptr) {
    profiler_->sleep(current_, nanoseconds);
  }
  look_again(nullptr);
}

void BlockRunner::enter_stretch(std::uint32_t stretch) {
  if (work_of_ != nullptr && stretch < work_of_->size()) {
    work_ += (*work_of_)[stretch];
  }
  if (profiler_ == nullptr) {
    return;
  }
  Fiber& fiber = fibers_[current_];
  fiber.state = FiberState::kAtStretch;
  fiber.stretch = stretch;
  advance_warp(current_ / kWarpSize);
  switch_to_next();
}

void BlockRunner::advance_warp(std::size_t warp) {
  const std::size_t first = warp * kWarpSize;
  if (profiler_ == nullptr || ready_.warp_at(first) != 0) {
    return;
  }
  // Nobody runs: the last group has left its stretch.
  if (const std::uint32_t group = groups_[warp]; group != 0) {
    const Fiber& one = fibers_[first + static_cast<std::size_t>(std::countr_zero(group))];
    bool divergent = false;
    for (std::uint32_t left = group; left != 0; left &= left - 1) {
      const Fiber& other = fibers_[first + static_cast<std::size_t>(std::countr_zero(left))];
      divergent = divergent || other.state != one.state ||
                  (one.state == FiberState::kAtStretch && other.stretch != one.stretch);
    }
    profiler_->leave(warp, group, divergent);
  }
  const std::uint32_t group = next_group(warp);
  groups_[warp] = group;
  if (group == 0) {
    return;  // All wait at barriers or warp operations, or are done.
  }
  profiler_->enter(warp, group,
                   fibers_[first + static_cast<std::size_t>(std::countr_zero(group))].stretch);
  for (std::uint32_t left = group; left != 0; left &= left - 1) {
    set_ready(first + static_cast<std::size_t>(std::countr_zero(left)));
  }
}

std::uint32_t BlockRunner::next_group(std::size_t warp) {
  const std::size_t first = warp * kWarpSize;
  const std::size_t count = std::min<std::size_t>(kWarpSize, fibers_.size() - first);
  const Fiber* next = nullptr;
  for (std::size_t lane = 0; lane < count; ++lane) {
    const Fiber& fiber = fibers_[first + lane];
    if (fiber.state != FiberState::kAtStretch) {
      continue;
    }
    const bool urgent = fiber.passed_over >= kPatience;
    if (next == nullptr || (urgent && next->passed_over < kPatience) ||
        (fiber.stretch < next->stretch && (urgent || next->passed_over < kPatience))) {
      next = &fiber;
    }
  }
  if (next == nullptr) {
    return 0;
  }
  const std::uint32_t stretch = next->stretch;
  std::uint32_t group = 0;
  for (std::size_t lane = 0; lane < count; ++lane) {
    Fiber& fiber = fibers_[first + lane];
    if (fiber.state == FiberState::kAtStretch) {
      const bool goes = fiber.stretch == stretch;
      group |= goes ? 1U << lane : 0U;
      fiber.passed_over = goes ? 0 : fiber.passed_over + 1;
    }
  }
  return group;
}

}  // namespace ws::cpu
