#include "runtime/device/cpu/block_runner.h"

#include <algorithm>
#include <bit>

#include <sched.h>

#include "runtime/device/cpu/context_switch.h"
#include "runtime/device/cpu/phase_runner.h"
#include "runtime/device/cpu/races/race_watch.h"
#include "runtime/device/cpu/warp_ops.h"

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

// Not in an anonymous struct: the signal handler reads it. Each OS thread has its own.
thread_local BlockRunner* t_runner = nullptr;

}  // namespace

BlockRunner* current_runner() {
  return t_runner;
}

BlockRunner::BlockRunner()
    : own_stacks_(std::make_unique<FiberStacks>()),
      stacks_(*own_stacks_) {
  take_over();
}

BlockRunner::BlockRunner(FiberStacks& stacks, std::size_t first_stack)
    : stacks_(stacks),
      first_stack_(first_stack) {}

BlockRunner::~BlockRunner() {
  if (t_runner == this) {
    t_runner = nullptr;
  }
}

void BlockRunner::take_over() {
  t_runner = this;
}

void BlockRunner::prepare_fiber(std::size_t index) {
  auto** stack = reinterpret_cast<void**>(stacks_.top(first_stack_ + index));
  // Two words, so that the entry's call leaves the stack aligned as the ABI wants.
  *--stack = nullptr;
  *--stack = nullptr;
  *--stack = reinterpret_cast<void*>(&ws_fiber_entry);
  *--stack = nullptr;  // rbp
  // NOLINTNEXTLINE(performance-no-int-to-ptr): rbx, ws_fiber_entry's argument.
  *--stack = reinterpret_cast<void*>(index);
  for (int callee_saved = 0; callee_saved < 4; ++callee_saved) {
    *--stack = nullptr;  // r12 to r15
  }
  fibers_[index].stack_pointer = static_cast<void*>(stack);
  fibers_[index].state = FiberState::kReady;
}

void BlockRunner::run_loop(cpu_abi::BlockFn function, cpu_abi::Block& block, void** args) {
  block_ = &block;
  loop_local_used_ = local_.kernel_bytes;
  function(&block, args);
}

void BlockRunner::run_turns(cpu_abi::ThreadFn thread, cpu_abi::Block& block, void** args) {
  const auto [x, y, z] = block.block_dim;
  const std::size_t count = std::size_t{x} * y * z;
  block_ = &block;
  order_.start(order_kind_, order_seed_, count);
  for (std::size_t turn = 0; turn < count; ++turn) {
    const auto linear = static_cast<std::uint32_t>(order_.thread_at(turn));
    loop_local_used_ = local_.kernel_bytes;
    thread(&block, linear % x, linear / x % y, linear / x / y, args);
  }
}

void BlockRunner::run_phases(const PhaseFunctions& kernel, cpu_abi::Block& block, void** args) {
  const auto [x, y, z] = block.block_dim;
  block_ = &block;
  order_.start(order_kind_, order_seed_, std::size_t{x} * y * z);
  if (phase_runner_ == nullptr) {
    phase_runner_ = std::make_unique<PhaseRunner>();
  }
  phases_running_ = true;
  phase_runner_->run(kernel, block, args, order_, order_kind_ == RunOrder::kAscending, current_);
  phases_running_ = false;
}

void BlockRunner::start_fibers(cpu_abi::ThreadFn thread, cpu_abi::Block& block, void** args,
                               std::uint64_t stack_bytes) {
  const auto [x, y, z] = block.block_dim;
  const std::size_t count = std::size_t{x} * y * z;
  if (own_stacks_ != nullptr) {
    stacks_.reserve(count, stack_bytes);
  }
  fibers_.resize(count);
  block_ = &block;
  thread_ = thread;
  args_ = args;
  live_ = count;
  barrier_.start(count);
  at_warp_op_ = 0;
  at_meeting_ = 0;
  at_grid_barrier_ = false;
  uses_named_ = false;
  groups_.fill(0);
  ready_.start(count);
  yielded_.start(count);
  order_.start(order_kind_, order_seed_, count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto linear = static_cast<std::uint32_t>(i);
    fibers_[i].thread = {linear % x, linear / x % y, linear / x / y};
    fibers_[i].local_used = local_.kernel_bytes;
    fibers_[i].yields = 0;
    prepare_fiber(i);
    set_ready(i);
  }
  if (profiler_ != nullptr) {
    const auto shared = reinterpret_cast<std::uint64_t>(block.shared);
    const auto local = reinterpret_cast<std::uint64_t>(local_.base);
    profiler_->start_block(count, {.shared_low = shared,
                                   .shared_high = shared + block.shared_bytes,
                                   .local_low = local,
                                   .local_high = local + local_.bytes(count)});
  }
  current_ = order_.thread_at(0);
  ready_.remove(0);
}

Progress BlockRunner::go_on() {
  take_over();
  if (at_grid_barrier_) {
    at_grid_barrier_ = false;
    barrier_.release(ready_);
    const std::size_t turn = ready_.next(0);
    ready_.remove(turn);
    current_ = order_.thread_at(turn);
  }
  progress_ = Progress::kEnded;
  fibers_running_ = true;
  ws_switch_stack(&scheduler_stack_, fibers_[current_].stack_pointer);
  fibers_running_ = false;
  return progress_;
}

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

void BlockRunner::fiber_main(std::size_t index) {
  Fiber& fiber = fibers_[index];
  thread_(block_, fiber.thread[0], fiber.thread[1], fiber.thread[2], args_);
  fiber.state = FiberState::kDone;
  --live_;
  release_barrier_if_complete();
  for (std::size_t i = 0; uses_named_ && i < named_.size(); ++i) {
    release_named(named_[i]);
  }
  if (at_warp_op_ != 0) {
    resolve_warp(index / kWarpSize);  // They may have waited for this lane only.
  }
  resolve_meetings(index / kWarpSize);
  advance_warp(index / kWarpSize);
  leave();
  __builtin_unreachable();
}

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

void BlockRunner::watch(const WatchedAccess& access) {
  if (watch_ != nullptr) {
    watch_->access(current_, access);
  }
}

void BlockRunner::watch_fence(std::uint32_t flags) {
  if (watch_ != nullptr) {
    watch_->fence(current_, (flags & cpu_abi::kWatchBlock) != 0);
  }
}

void* BlockRunner::take_local(std::uint64_t bytes) {
  std::uint64_t& used = local_used();
  if (bytes > local_.stride - used) {
    return nullptr;
  }
  char* memory = own_local() + used;
  used += bytes;
  return memory;
}

void BlockRunner::give_local(std::uint64_t bytes) {
  local_used() -= bytes;
}

bool BlockRunner::in_own_local(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(own_local());
  return offset <= local_.stride && bytes <= local_.stride - offset;
}

}  // namespace ws::cpu

void ws_fiber_main(unsigned long index) {
  ws::cpu::current_runner()->fiber_main(index);
}
