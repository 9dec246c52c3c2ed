// PhaseRunner's part for barriers of the block, and for threads that wait in vain.
#include <algorithm>

#include "runtime/device/cpu/phase_runner.h"
#include "runtime/device/cpu/waiting_report.h"

namespace ws::cpu {

template <typename Visit>
void PhaseRunner::for_each_waiting(const Visit& visit) const {
  for (std::size_t u = 0; u < unit_count_; ++u) {
    const Unit& unit = units_[u];
    for (std::size_t i = unit.first; i < unit.first + unit.size; ++i) {
      if (waits_[i] != Wait::kEnded) {
        visit(i, unit.whole ? unit.wait : waits_[i], unit.whole ? unit.phase : phases_[i]);
      }
    }
  }
}

/// The stop where all live threads wait. Does not return where they wait at different ones.
const PhaseStop& PhaseRunner::common_barrier() const {
  const PhaseStop* common = nullptr;
  const auto add = [&](Wait wait, std::uint32_t phase) {
    if (wait != Wait::kBarrier) {
      report_waiting(RunStatus::kDeadlock);
    }
    const PhaseStop& stop = stop_before(phase);
    common = common == nullptr ? &stop : common;
    if (stop.site != common->site) {
      report_waiting(RunStatus::kBarrierDivergence);
    }
  };
  for (std::size_t u = 0; u < unit_count_; ++u) {
    const Unit& unit = units_[u];
    if (unit.whole && unit.live != 0) {
      add(unit.wait, unit.phase);
    }
    for (std::size_t i = unit.first; !unit.whole && i < unit.first + unit.size; ++i) {
      if (waits_[i] != Wait::kEnded) {
        add(waits_[i], phases_[i]);
      }
    }
  }
  if (common == nullptr) {
    report_lost();
  }
  return *common;
}

void PhaseRunner::release_barrier() {
  const auto mode = static_cast<cpu_abi::BarrierMode>(common_barrier().mode);
  if (mode != cpu_abi::BarrierMode::kPlain) {
    std::uint64_t trues = 0;
    const auto* predicates = field<const std::uint64_t>(cpu_abi::kPhaseValue);
    for_each_waiting([&](std::size_t thread, Wait /*wait*/, std::uint32_t /*phase*/) {
      trues += predicates[thread] != 0 ? 1 : 0;
    });
    std::uint64_t result = trues;
    if (mode == cpu_abi::BarrierMode::kAnd) {
      result = trues == live_ ? 1 : 0;
    } else if (mode == cpu_abi::BarrierMode::kOr) {
      result = trues != 0 ? 1 : 0;
    }
    std::fill_n(field<std::uint64_t>(cpu_abi::kPhaseResult), count_, result);
  }
  for (std::size_t u = 0; u < unit_count_; ++u) {
    Unit& unit = units_[u];
    if (unit.whole) {
      unit.wait = unit.live == 0 ? Wait::kEnded : Wait::kNone;
      continue;
    }
    for (std::size_t i = unit.first; i < unit.first + unit.size; ++i) {
      waits_[i] = waits_[i] == Wait::kEnded ? Wait::kEnded : Wait::kNone;
    }
  }
}

void PhaseRunner::report_waiting(RunStatus status) const {
  const auto [x, y, z] = block_->block_dim;
  WaitingReport report(status, block_->block_idx);
  for_each_waiting([&](std::size_t thread, Wait wait, std::uint32_t phase) {
    const auto number = static_cast<std::uint32_t>(thread);
    if (wait != Wait::kNone) {
      report.add(stop_before(phase).site, {number % x, number / x % y, number / x / y});
    }
  });
  report.send();
}

/// The kernel has overwritten what it carries over stops, and would go on at no phase of its own.
void PhaseRunner::report_lost() const {
  RunReply reply;
  reply.status = RunStatus::kTrap;
  reply.block = block_->block_idx;
  reply.has_block = 1;
  report_and_exit(reply);
}

}  // namespace ws::cpu
