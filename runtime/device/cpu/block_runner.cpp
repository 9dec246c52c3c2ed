#include "runtime/device/cpu/block_runner.h"

#include "runtime/device/cpu/context_switch.h"
#include "runtime/device/cpu/phase_runner.h"
#include "runtime/device/cpu/races/race_watch.h"

namespace ws::cpu {
namespace {

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
                               const StackNeed& stack) {
  const auto [x, y, z] = block.block_dim;
  const std::size_t count = std::size_t{x} * y * z;
  if (own_stacks_ != nullptr) {
    stacks_.reserve(count, stack);
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

void BlockRunner::fiber_main(std::size_t index) {
  Fiber& fiber = fibers_[index];
  thread_(block_, fiber.thread[0], fiber.thread[1], fiber.thread[2], args_);
  fiber.state = FiberState::kDone;
  --live_;
  leave_barriers(index);
  if (at_warp_op_ != 0) {
    resolve_warp(index / kWarpSize);  // They may have waited for this lane only.
  }
  resolve_meetings(index / kWarpSize);
  advance_warp(index / kWarpSize);
  leave();
  __builtin_unreachable();
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
