#include "runtime/device/cpu/phase_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ws::cpu {
namespace {

constexpr std::uint64_t kUnitAlignment = 64;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t unit_bytes(const PhasedCode& code) {
  return rounded_up(code.unit_bytes, kUnitAlignment);
}

std::uint64_t units_of(const PhasedCode& code, std::uint64_t threads) {
  return code.warps ? rounded_up(threads, kWarpSize) / kWarpSize : 1;
}

std::uint64_t records_bytes(const PhasedCode& code, std::uint64_t threads) {
  return rounded_up(threads, kWarpSize) *
         rounded_up(cpu_abi::kPhaseValues + code.thread_bytes, kUnitAlignment);
}

}  // namespace

std::uint64_t phase_memory_bytes(const PhasedCode& code, std::uint64_t threads) {
  // One unit's values more: as they were before a phase.
  return records_bytes(code, threads) + (units_of(code, threads) + 1) * unit_bytes(code);
}

void place_phase_memory(const PhasedCode& code, char* memory, cpu_abi::Block& block) {
  const auto [x, y, z] = block.block_dim;
  const std::uint64_t threads = std::uint64_t{x} * y * z;
  block.thread_values = memory;
  block.padded_threads = static_cast<std::uint32_t>(rounded_up(threads, kWarpSize));
  block.unit_values_before = memory + records_bytes(code, threads);
  block.unit_values = memory + records_bytes(code, threads) + unit_bytes(code);
}

void PhaseRunner::run(const PhaseFunctions& kernel, cpu_abi::Block& block, void** args,
                      const ThreadOrder& order, bool rows, std::size_t& current) {
  order_ = &order;
  current_ = &current;
  args_ = args;
  rows_ = rows && kernel.rows != nullptr;
  start(kernel, block);
  while (live_ != 0) {
    for (std::size_t turn = 0; turn < count_;) {
      Unit& unit = units_[kernel.code->warps ? order.thread_at(turn) / kWarpSize : 0];
      run_unit(unit, turn);
      turn += unit.size;
    }
    if (live_ != 0) {
      release_barrier();
    }
  }
  block.unit_values = units_values_;
}

void PhaseRunner::start(const PhaseFunctions& kernel, cpu_abi::Block& block) {
  kernel_ = &kernel;
  block_ = &block;
  units_values_ = block.unit_values;
  unit_bytes_ = unit_bytes(*kernel.code);
  stops_ = kernel.code->stops;
  const auto [x, y, z] = block.block_dim;
  count_ = std::size_t{x} * y * z;
  live_ = count_;
  unit_count_ = units_of(*kernel.code, count_);
  if (fresh_dim_ != block.block_dim || fresh_warps_ != kernel.code->warps) {
    find_fresh_units();
  }
  std::copy_n(fresh_units_.begin(), unit_count_, units_.begin());
  std::fill_n(waits_.begin(), count_, Wait::kNone);
}

void PhaseRunner::find_fresh_units() {
  fresh_dim_ = block_->block_dim;
  fresh_warps_ = kernel_->code->warps;
  const std::size_t most = fresh_warps_ ? kWarpSize : count_;
  for (std::size_t i = 0; i < unit_count_; ++i) {
    Unit& unit = fresh_units_[i];
    unit = {};
    unit.first = i * most;
    unit.size = std::min(most, count_ - unit.first);
    unit.live = unit.size;
    find_box(unit);
  }
}

void PhaseRunner::run_unit(Unit& unit, std::size_t turn) {
  const auto index = static_cast<std::uint64_t>(&unit - units_.data());
  block_->unit_values = units_values_ + index * unit_bytes_;
  for (;;) {
    if (unit.whole && unit.wait == Wait::kWarp) {
      exchange_whole(unit);
    }
    if (unit.whole && unit.wait != Wait::kNone) {
      return;
    }
    if (unit.whole && rows_ && unit.is_box && run_together(unit)) {
      continue;
    }
    part(unit);
    const bool ran = run_one_by_one(unit, turn);
    const bool exchanged = kernel_->code->warps && exchange_parts(unit);
    join(unit);
    if (!ran && !exchanged) {
      return;
    }
  }
}

bool PhaseRunner::run_together(Unit& unit) {
  block_->box_low = unit.box.low;
  block_->box_high = unit.box.high;
  const std::uint32_t next = kernel_->rows(block_, unit.phase, args_);
  if (next == cpu_abi::kPhaseDone) {
    end_all(unit);
    return true;
  }
  if (next != cpu_abi::kPhaseMixed && (next & cpu_abi::kPhaseAlone) != 0) {
    unit.phase = next & ~cpu_abi::kPhaseAlone;
    return false;
  }
  if (next != cpu_abi::kPhaseMixed) {
    unit.phase = next;
    unit.wait = wait_behind(next);
    return true;
  }
  const auto* states = field<const std::uint32_t>(cpu_abi::kPhaseState);
  unit.whole = false;
  for (std::size_t i = unit.first; i < unit.first + unit.size; ++i) {
    if (waits_[i] != Wait::kEnded) {
      arrive(unit, i, states[i]);
    }
  }
  join(unit);
  return true;
}

void PhaseRunner::end_all(Unit& unit) {
  std::fill_n(waits_.begin() + static_cast<std::ptrdiff_t>(unit.first), unit.size, Wait::kEnded);
  live_ -= unit.live;
  unit.live = 0;
  unit.wait = Wait::kEnded;
}

bool PhaseRunner::run_one_by_one(Unit& unit, std::size_t turn) {
  bool ran = false;
  std::memcpy(const_cast<char*>(block_->unit_values_before), block_->unit_values,
              kernel_->code->unit_bytes);
  const auto [x, y, z] = block_->block_dim;
  for (std::size_t i = turn; i < turn + unit.size; ++i) {
    const std::size_t thread = order_->thread_at(i);
    if (waits_[thread] != Wait::kNone) {
      continue;
    }
    *current_ = thread;
    const auto number = static_cast<std::uint32_t>(thread);
    arrive(
        unit, thread,
        kernel_->turn(block_, number % x, number / x % y, number / x / y, phases_[thread], args_));
    ran = true;
  }
  return ran;
}

void PhaseRunner::arrive(Unit& unit, std::size_t thread, std::uint32_t phase) {
  phases_[thread] = phase;
  waits_[thread] = wait_behind(phase);
  if (waits_[thread] == Wait::kEnded) {
    --live_;
    --unit.live;
  }
}

PhaseRunner::Wait PhaseRunner::wait_behind(std::uint32_t phase) const {
  if (phase == cpu_abi::kPhaseDone) {
    return Wait::kEnded;
  }
  if (phase == 0 || phase > stops_.size()) {
    report_lost();
  }
  const PhaseStop& stop = stop_before(phase);
  if (stop.mode == static_cast<std::uint32_t>(cpu_abi::BarrierMode::kCut) && !stop.warp) {
    return Wait::kNone;
  }
  return stop.warp ? Wait::kWarp : Wait::kBarrier;
}

void PhaseRunner::part(Unit& unit) {
  if (!unit.whole) {
    return;
  }
  unit.whole = false;
  for (std::size_t i = unit.first; i < unit.first + unit.size; ++i) {
    if (waits_[i] != Wait::kEnded) {
      phases_[i] = unit.phase;
      waits_[i] = unit.wait;
    }
  }
}

void PhaseRunner::join(Unit& unit) {
  bool known = false;
  for (std::size_t i = unit.first; i < unit.first + unit.size; ++i) {
    if (waits_[i] == Wait::kEnded) {
      continue;
    }
    if (known && (phases_[i] != unit.phase || waits_[i] != unit.wait)) {
      return;
    }
    known = true;
    unit.phase = phases_[i];
    unit.wait = waits_[i];
  }
  unit.whole = true;
  unit.wait = known ? unit.wait : Wait::kEnded;
  find_box(unit);
}

void PhaseRunner::find_box(Unit& unit) const {
  const auto [x, y, z] = block_->block_dim;
  const auto first = static_cast<std::uint32_t>(unit.first);
  Box& box = unit.box;
  if (kernel_->code->warps) {
    box.low = {first % x, first / x % y, first / x / y};
    unit.is_box = unit.live == kWarpSize && box.low[0] + kWarpSize <= x;
    return;
  }
  box = {.low = {0, 0, 0}, .high = {x, y, z}};
  unit.is_box = unit.live == unit.size;
  if (unit.is_box || unit.live == 0) {
    return;
  }
  // Most often those have ended that lie beyond the edge of what the kernel computes.
  box = {.low = box.high, .high = box.low};
  for (std::uint32_t i = 0; i < unit.size; ++i) {
    if (waits_[i] != Wait::kEnded) {
      const std::array<std::uint32_t, 3> id = {i % x, i / x % y, i / x / y};
      for (std::size_t axis = 0; axis < id.size(); ++axis) {
        box.low.at(axis) = std::min(box.low.at(axis), id.at(axis));
        box.high.at(axis) = std::max(box.high.at(axis), id.at(axis) + 1);
      }
    }
  }
  std::size_t volume = 1;
  for (std::size_t axis = 0; axis < box.low.size(); ++axis) {
    volume *= box.high.at(axis) - box.low.at(axis);
  }
  unit.is_box = volume == unit.live;
}

}  // namespace ws::cpu
