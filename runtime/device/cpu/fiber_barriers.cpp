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
  const bool joined = is_joined();
  if (!barrier_.complete(live_, joined ? named_[0].arrived() : 0)) {
    return;
  }
  if (barrier_.diverged()) {
    report_waiting(RunStatus::kBarrierDivergence);
  }
  if (joined) {
    meet_at_zero();
  } else if (watch_ != nullptr) {
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

/// Barrier 0 of PTX is the block's own, where it waits for all threads.
bool BlockRunner::is_joined() const {
  return uses_named_ && named_[0].gathers_all(fibers_.size()) &&
         barrier_.mode() != cpu_abi::BarrierMode::kGrid;
}

/// The threads at the block's own barrier take part in barrier 0 and let those there go.
void BlockRunner::meet_at_zero() {
  const auto each = [this](const auto& action) {
    barrier_.waiting().visit([&](std::size_t turn) { action(order_.thread_at(turn)); });
  };
  if (watch_ != nullptr) {
    each([this](std::size_t thread) { watch_->arrive(0, thread); });
  }
  let_named_go(0);
  if (watch_ != nullptr) {
    each([this](std::size_t thread) { watch_->learn(0, thread); });
  }
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

/// Reports a number or a count of threads that no barrier of the block can have.
void BlockRunner::check_barrier(std::uint32_t number, std::uint32_t wanted, std::uint32_t flags,
                                std::uint32_t site) const {
  const std::size_t most = (fibers_.size() + kWarpSize - 1) / kWarpSize * kWarpSize;
  const bool none = wanted == 0 && (flags & cpu_abi::kBarrierNoWait) != 0;
  RunReply reply;
  if (number >= cpu_abi::kPtxBarriers && (flags & cpu_abi::kBarrierSplit) == 0) {
    reply.detail = kBarrierNumber;
    reply.waiting = number;
  } else if (wanted % kWarpSize != 0 || none) {
    reply.detail = kBarrierCount;
    reply.waiting = wanted;
  } else if (wanted > most) {
    reply.detail = kBarrierOfMore;
    reply.waiting = wanted;
    reply.other_waiting = static_cast<std::uint32_t>(fibers_.size());
  } else {
    return;
  }
  reply.status = RunStatus::kBadBarrier;
  reply.site = site;
  describe_running_thread(reply);
  report_and_exit(reply);
}

/// Lanes of a warp that have ended, or that the block does not have.
std::uint32_t BlockRunner::lanes_gone(std::size_t warp) const {
  std::uint32_t gone = 0;
  for (std::size_t i = warp * kWarpSize; i < (warp + 1) * kWarpSize; ++i) {
    const bool absent = i >= fibers_.size() || fibers_[i].state == FiberState::kDone;
    gone += absent ? 1U : 0U;
  }
  return gone;
}

std::uint32_t BlockRunner::arrive_at(std::uint32_t number, std::uint32_t wanted,
                                     std::uint32_t flags, std::uint32_t site) {
  check_barrier(number, wanted, flags, site);
  if (!uses_named_) {
    uses_named_ = true;
    for (NamedBarrier& barrier : named_) {
      barrier.start(fibers_.size());
    }
  }
  const bool split = (flags & cpu_abi::kBarrierSplit) != 0;
  const std::uint32_t index = split ? cpu_abi::kSplitBarrier : number;
  const std::uint32_t phase = named_.at(index).arrive(current_, lanes_gone(current_ / kWarpSize),
                                                      wanted, (flags & cpu_abi::kBarrierTrue) != 0);
  if (watch_ != nullptr) {
    watch_->arrive(index, current_);
  }
  release_named(index);
  return phase;
}

std::uint32_t BlockRunner::wait_at(std::uint32_t number, std::uint32_t phase, std::uint32_t site) {
  NamedBarrier& barrier = named_.at(number);
  if (!uses_named_) {
    return 0;
  }
  if (barrier.is_over(phase)) {
    if (watch_ != nullptr) {
      watch_->learn(number, current_);
    }
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
  return static_cast<std::uint32_t>(fiber.value);
}

void BlockRunner::release_named(std::uint32_t number) {
  if (number == 0) {
    release_barrier_if_complete();
  }
  if (named_.at(number).complete(live_)) {
    let_named_go(number);
  }
}

void BlockRunner::let_named_go(std::uint32_t number) {
  NamedBarrier& barrier = named_.at(number);
  if (watch_ != nullptr) {
    watch_->release(number, barrier.takes_all());
  }
  // Each keeps the result: others may come to the next phase before it goes on.
  barrier.waiting().visit([&](std::size_t turn) {
    const std::size_t thread = order_.thread_at(turn);
    fibers_[thread].value = barrier.trues();
    if (watch_ != nullptr) {
      watch_->learn(number, thread);
    }
  });
  barrier.release(ready_);
}

void BlockRunner::leave_barriers(std::size_t thread) {
  if (watch_ != nullptr) {
    watch_->end(thread);
  }
  for (std::uint32_t number = 0; uses_named_ && number < named_.size(); ++number) {
    named_.at(number).end(thread);
  }
  release_barrier_if_complete();
  for (std::uint32_t number = 0; uses_named_ && number < named_.size(); ++number) {
    release_named(number);
  }
}

}  // namespace ws::cpu
