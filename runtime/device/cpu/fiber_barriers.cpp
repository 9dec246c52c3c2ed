// BlockRunner's part for barriers: of the block, of the whole grid, and those that have a number.
#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/fault.h"
#include "runtime/device/cpu/races/race_watch.h"

namespace ws::cpu {

std::uint32_t BlockRunner::barrier(cpu_abi::BarrierMode mode, bool predicate, std::uint32_t site) {
  Fiber& fiber = fibers_[current_];
  fiber.state = FiberState::kAtBarrier;
  fiber.site = site;
  barrier_.arrive(order_.turn_of(current_), mode, predicate, site);
  release_barrier_if_complete();
  resolve_meetings(current_ / kWarpSize);
  advance_warp(current_ / kWarpSize);
  switch_to_next();
  fiber.state = FiberState::kReady;
  return barrier_.result();
}

void BlockRunner::release_barrier_if_complete() {
  if (!barrier_.complete(live_)) {
    return;
  }
  if (barrier_.diverged()) {
    report_waiting(RunStatus::kBarrierDivergence);
  }
  if (watch_ != nullptr) {
    watch_->barrier();
  }
  if (barrier_.mode() == cpu_abi::BarrierMode::kGrid) {
    if (live_ != fibers_.size()) {
      report_grid_divergence(kEndedThreads, fibers_.size() - live_);
    }
    at_grid_barrier_ = true;
    return;
  }
  barrier_.release(ready_);
}

void BlockRunner::grid_barrier(std::uint32_t site) {
  if (block_->cooperative == 0) {
    RunReply reply;
    reply.status = RunStatus::kNotCooperative;
    reply.site = site;
    describe_running_thread(reply);
    report_and_exit(reply);
  }
  barrier(cpu_abi::BarrierMode::kGrid, false, site);
}

std::uint32_t BlockRunner::arrive_at(std::uint32_t number, std::uint32_t wanted, bool predicate) {
  if (!uses_named_) {
    uses_named_ = true;
    for (NamedBarrier& barrier : named_) {
      barrier.start(fibers_.size());
    }
  }
  NamedBarrier& barrier = named_.at(number % named_.size());
  const std::uint32_t phase = barrier.arrive(wanted, predicate);
  release_named(barrier);
  return phase;
}

std::uint32_t BlockRunner::wait_at(std::uint32_t number, std::uint32_t phase, std::uint32_t site) {
  NamedBarrier& barrier = named_.at(number % named_.size());
  if (!uses_named_ || barrier.is_over(phase)) {
    return barrier.result();
  }
  Fiber& fiber = fibers_[current_];
  fiber.state = FiberState::kAtBarrier;
  fiber.site = site;
  barrier.wait(order_.turn_of(current_));
  resolve_meetings(current_ / kWarpSize);
  advance_warp(current_ / kWarpSize);
  switch_to_next();
  fiber.state = FiberState::kReady;
  return barrier.result();
}

void BlockRunner::release_named(NamedBarrier& barrier) {
  if (!barrier.complete(live_)) {
    return;
  }
  if (watch_ != nullptr) {
    watch_->barrier();  // Orders more than it does: no report is better than a wrong one.
  }
  barrier.release(ready_);
}

}  // namespace ws::cpu
