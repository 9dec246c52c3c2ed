// PhaseRunner's part for warp operations.
#include <algorithm>
#include <bit>

#include "runtime/device/cpu/phase_runner.h"

namespace ws::cpu {
namespace {

using cpu_abi::WarpMode;

constexpr std::uint32_t kAllLanes = 0xffffffffU;

}  // namespace

/// The lanes' operands, as they lie in the threads' records.
void PhaseRunner::load_lanes(const Unit& unit) {
  const auto* masks = field<const std::uint32_t>(cpu_abi::kPhaseMask) + unit.first;
  const auto* lanes = field<const std::uint32_t>(cpu_abi::kPhaseLane) + unit.first;
  const auto* widths = field<const std::uint32_t>(cpu_abi::kPhaseWidth) + unit.first;
  const auto* values = field<const std::uint64_t>(cpu_abi::kPhaseValue) + unit.first;
  for (std::size_t i = 0; i < unit.size; ++i) {
    const Wait wait = waits_[unit.first + i];
    Fiber& lane = lanes_[i];
    lane.state = wait == Wait::kWarp    ? FiberState::kAtWarpOp
                 : wait == Wait::kEnded ? FiberState::kDone
                                        : FiberState::kAtBarrier;
    if (wait != Wait::kWarp) {
      continue;
    }
    const std::uint32_t phase = phases_[unit.first + i];
    lane.mode = static_cast<WarpMode>(stop_before(phase).mode);
    lane.mask = masks[i] | 1U << i;
    lane.lane = lanes[i];
    lane.width = widths[i];
    lane.value = values[i];
  }
}

/// All lanes of the warp are at the same operation: most often it is for all of them.
void PhaseRunner::exchange_whole(Unit& unit) {
  const auto mode = static_cast<WarpMode>(stop_before(unit.phase).mode);
  const auto* masks = field<const std::uint32_t>(cpu_abi::kPhaseMask) + unit.first;
  if (mode == WarpMode::kSync && unit.live == kWarpSize &&
      std::all_of(masks, masks + kWarpSize, [](auto mask) { return mask == kAllLanes; })) {
    unit.wait = Wait::kNone;
    return;
  }
  part(unit);
  exchange_parts(unit);
  join(unit);
  if (unit.whole && unit.wait == Wait::kWarp) {
    unit.whole = false;  // They wait for lanes that never come.
  }
}

/// @return Whether lanes go on.
bool PhaseRunner::exchange_parts(Unit& unit) {
  load_lanes(unit);
  const WarpView view(lanes_.data(), unit.size);
  auto* results = field<std::uint64_t>(cpu_abi::kPhaseResult) + unit.first;
  auto* narrow = field<std::uint32_t>(cpu_abi::kPhaseNarrowResult) + unit.first;
  bool any = false;
  for (std::size_t lane = 0; lane < unit.size; ++lane) {
    if (lanes_[lane].state != FiberState::kAtWarpOp) {
      continue;
    }
    const std::uint32_t group = view.complete_group(lanes_[lane]);
    if (group == 0) {
      continue;
    }
    if (!view.same_mode(group)) {
      report_waiting(RunStatus::kBarrierDivergence);
    }
    const std::array<std::uint64_t, kWarpSize> given = view.results(group);
    for (std::uint32_t left = group; left != 0; left &= left - 1) {
      const auto member = static_cast<std::size_t>(std::countr_zero(left));
      results[member] = given[member];
      narrow[member] = static_cast<std::uint32_t>(given[member]);
      waits_[unit.first + member] = Wait::kNone;
      lanes_[member].state = FiberState::kReady;
    }
    any = true;
  }
  return any;
}

}  // namespace ws::cpu
