// BlockRunner's part for turns: which thread goes on where one waits, yields or has ended.
#include <sched.h>

#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/context_switch.h"

namespace ws::cpu {
namespace {

/// The first yields of a thread, at each of which others go first.
constexpr std::uint32_t kYieldsInARow = 16;
/// Later ones count at each power of two and at each multiple of this.
constexpr std::uint32_t kRareYields = 1024;
/// Yields of a block beside a held one, after which that one goes on.
constexpr std::uint64_t kPatienceBeside = 4096;
/// A block that looks for what another one writes leaves the core to it from time to time.
constexpr std::uint64_t kLooksPerTurn = 1024;

}  // namespace

void BlockRunner::set_ready(std::size_t index) {
  fibers_[index].state = FiberState::kReady;
  ready_.add(order_.turn_of(index));
}

void BlockRunner::switch_to_next() {
  const std::size_t from = current_;
  // In ascending order those behind the one that waits go first: it leaves a barrier without a
  // switch. In others the first in the order runs as far ahead of the rest as it can.
  const bool ascending = order_kind_ == RunOrder::kAscending;
  const std::size_t first = ascending ? order_.turn_of(from) : 0;
  std::size_t turn = ready_.next(first);
  const bool all_yielded = turn == TurnSet::kNone;
  if (all_yielded) {
    ready_.take(yielded_);
    turn = ready_.next(first);
  }
  if (turn == TurnSet::kNone && at_grid_barrier_) {
    progress_ = Progress::kAtGridBarrier;
    ws_switch_stack(&fibers_[from].stack_pointer, scheduler_stack_);
    return;
  }
  if (turn == TurnSet::kNone) {
    report_waiting(RunStatus::kDeadlock);
  }
  ready_.remove(turn);
  const std::size_t to = order_.thread_at(turn);
  current_ = to;
  if (all_yielded && holds_) {
    progress_ = Progress::kHeld;
    ws_switch_stack(&fibers_[from].stack_pointer, scheduler_stack_);
  } else if (to != from) {
    ws_switch_stack(&fibers_[from].stack_pointer, fibers_[to].stack_pointer);
  }
}

void BlockRunner::leave() {
  const std::size_t from = current_;
  if (live_ == 0) {
    ws_switch_stack(&fibers_[from].stack_pointer, scheduler_stack_);
  }
  switch_to_next();
}

void BlockRunner::resume_held() {
  if (held_->live_ != 0) {
    held_->go_on();
    take_over();
  }
}

void BlockRunner::yield() {
  if (held_ != nullptr && ++yields_beside_ % kPatienceBeside == 0) {
    resume_held();
  }
  if (!interleaves_ || !fibers_running_) {
    return;
  }
  // A thread that yields often does so ever more rarely: its time stays in bounds.
  const std::uint32_t number = ++fibers_[current_].yields;
  const bool power_of_two = (number & (number - 1)) == 0;  // No call: there is little stack here.
  if (number > kYieldsInARow && !power_of_two && number % kRareYields != 0) {
    return;
  }
  yielded_.add(order_.turn_of(current_));
  switch_to_next();
}

void BlockRunner::look_again(const void* from) {
  if (!fibers_running_) {
    return;
  }
  last_look_ = {from, fibers_[current_].thread};
  Fiber& fiber = fibers_[current_];
  fiber.state = FiberState::kLooksAgain;
  resolve_meetings(current_ / kWarpSize);
  yielded_.add(order_.turn_of(current_));
  if (++looks_ % kLooksPerTurn == 0) {
    ::sched_yield();
  }
  advance_warp(current_ / kWarpSize);
  switch_to_next();
  fiber.state = FiberState::kReady;
}

}  // namespace ws::cpu
