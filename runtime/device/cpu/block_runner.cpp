#include "runtime/device/cpu/block_runner.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <pthread.h>
#include <sys/mman.h>

#include "runtime/device/cpu/context_switch.h"
#include "runtime/device/cpu/fault.h"
#include "runtime/device/cpu/warp_ops.h"

namespace ws::cpu {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kNone = kMaxBlockThreads;
/// Runtime functions and library calls below a kernel's own frame.
constexpr std::size_t kRuntimeStackBytes = 3072;
/// Kernels that need more get guarded stacks.
constexpr std::size_t kMostDenseBytes = 16 << 10U;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

// Not in an anonymous struct: the signal handler reads them. Each OS thread has its own.
thread_local BlockRunner* t_runner = nullptr;
thread_local const char* t_stacks = nullptr;
thread_local std::size_t t_stack_bytes = 0;  ///< The size of all stacks.
thread_local std::size_t t_slot_bytes = 0;
thread_local std::size_t t_guard_bytes = 0;
/// The lowest address of the OS thread's own stack, where barrier-free kernels run.
thread_local const char* t_os_stack_low = nullptr;
/// A frame larger than a page can step over the guard: look this far around it.
constexpr std::size_t kOsGuardReach = 256 << 10U;

const char* os_stack_low() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
  }
  return static_cast<const char*>(low);
}

}  // namespace

BlockRunner* current_runner() {
  return t_runner;
}

bool in_guard_page(const void* address) {
  const auto* at = static_cast<const char*>(address);
  if (t_stacks != nullptr && at >= t_stacks && at < t_stacks + t_stack_bytes) {
    return static_cast<std::size_t>(at - t_stacks) % t_slot_bytes < t_guard_bytes;
  }
  return t_os_stack_low != nullptr && at < t_os_stack_low + kOsGuardReach &&
         at + kOsGuardReach >= t_os_stack_low;
}

void describe_running_thread(RunReply& reply) {
  if (t_runner == nullptr || t_runner->block() == nullptr) {
    return;
  }
  reply.block = t_runner->block()->block_idx;
  reply.has_block = 1;
  if (const Fiber* fiber = t_runner->running(); fiber != nullptr) {
    reply.thread = fiber->thread;
    reply.has_thread = 1;
  }
}

BlockRunner::BlockRunner() {
  t_runner = this;
  t_os_stack_low = os_stack_low();
}

BlockRunner::~BlockRunner() {
  free_stacks();
  t_runner = nullptr;
}

void BlockRunner::free_stacks() {
  if (stacks_ != nullptr) {
    ::munmap(stacks_, stack_count_ * slot_bytes_);
  }
  stacks_ = nullptr;
  t_stacks = nullptr;
}

void BlockRunner::make_stacks(std::size_t count, std::uint64_t stack_bytes) {
  const std::size_t need = stack_bytes + kRuntimeStackBytes;
  const bool dense = stack_bytes != 0 && need <= kMostDenseBytes;
  // An odd number of cache lines: stack tops then fall into different cache sets.
  const std::size_t dense_slot = ((need + kCacheLine - 1) / kCacheLine | 1U) * kCacheLine;
  const std::size_t slot = dense ? dense_slot : kFiberStackBytes + kGuardBytes;
  if (stacks_ != nullptr && slot == slot_bytes_ && count <= stack_count_) {
    return;
  }
  free_stacks();
  slot_bytes_ = slot;
  guard_bytes_ = dense ? 0 : kGuardBytes;
  // Dense stacks fill whole huge pages, so that one TLB entry serves hundreds of them.
  const std::size_t least = dense ? (2 * kHugePage + slot - 1) / slot : 0;
  stack_count_ = std::max(count, least);
  const std::size_t bytes = stack_count_ * slot_bytes_;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    std::abort();  // The memory limit was chosen to hold the stacks.
  }
  stacks_ = static_cast<char*>(memory);
  if (dense) {
    ::madvise(stacks_, bytes, MADV_HUGEPAGE);  // Where there are none it is only slower.
  }
  for (std::size_t i = 0; guard_bytes_ != 0 && i < stack_count_; ++i) {
    ::mprotect(stacks_ + i * slot_bytes_, guard_bytes_, PROT_NONE);
  }
  t_stacks = stacks_;
  t_stack_bytes = bytes;
  t_slot_bytes = slot_bytes_;
  t_guard_bytes = guard_bytes_;
}

void BlockRunner::prepare_fiber(std::size_t index) {
  char* top = stacks_ + (index + 1) * slot_bytes_;
  auto** stack = reinterpret_cast<void**>(top);
  // Two words, so that the entry's call leaves the stack aligned as the ABI wants.
  *--stack = nullptr;
  *--stack = nullptr;
  *--stack = reinterpret_cast<void*>(&ws_fiber_entry);
  *--stack = nullptr;                         // rbp
  *--stack = reinterpret_cast<void*>(index);  // rbx: ws_fiber_entry's argument
  for (int callee_saved = 0; callee_saved < 4; ++callee_saved) {
    *--stack = nullptr;  // r12 to r15
  }
  fibers_[index].stack_pointer = stack;
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

void BlockRunner::run_fibers(cpu_abi::ThreadFn thread, cpu_abi::Block& block, void** args,
                             std::uint64_t stack_bytes) {
  const auto [x, y, z] = block.block_dim;
  const std::size_t count = std::size_t{x} * y * z;
  make_stacks(count, stack_bytes);
  fibers_.resize(count);
  block_ = &block;
  thread_ = thread;
  args_ = args;
  live_ = count;
  arrived_ = 0;
  at_warp_op_ = 0;
  groups_.fill(0);
  ready_.fill(0);
  order_.start(order_kind_, order_seed_, count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto linear = static_cast<std::uint32_t>(i);
    fibers_[i].thread = {linear % x, linear / x % y, linear / x / y};
    fibers_[i].local_used = local_.kernel_bytes;
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
  fibers_running_ = true;
  current_ = order_.thread_at(0);
  ready_[0] &= ~std::uint64_t{1};
  ws_switch_stack(&scheduler_stack_, fibers_[current_].stack_pointer);
  fibers_running_ = false;
}

void BlockRunner::set_ready(std::size_t index) {
  fibers_[index].state = FiberState::kReady;
  const std::size_t turn = order_.turn_of(index);
  ready_[turn / 64] |= std::uint64_t{1} << (turn % 64);
}

std::size_t BlockRunner::next_ready(std::size_t from) const {
  const std::size_t words = (fibers_.size() + 63) / 64;
  std::size_t word = from / 64;
  std::uint64_t bits = ready_[word] & (~std::uint64_t{0} << (from % 64));
  for (std::size_t tried = 0; tried <= words; ++tried) {
    if (bits != 0) {
      return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    }
    word = word + 1 == words ? 0 : word + 1;
    bits = ready_[word];
  }
  return kNone;
}

void BlockRunner::switch_to_next() {
  const std::size_t from = current_;
  // In ascending order those behind the one that waits go first: it leaves a barrier without a
  // switch. In others the first in the order runs as far ahead of the rest as it can.
  const bool ascending = order_kind_ == RunOrder::kAscending;
  const std::size_t turn = next_ready(ascending ? order_.turn_of(from) : 0);
  if (turn == kNone) {
    report_waiting(RunStatus::kDeadlock);
  }
  ready_[turn / 64] &= ~(std::uint64_t{1} << (turn % 64));
  const std::size_t to = order_.thread_at(turn);
  if (to == from) {
    return;
  }
  current_ = to;
  ws_switch_stack(&fibers_[from].stack_pointer, fibers_[to].stack_pointer);
}

void BlockRunner::leave() {
  const std::size_t from = current_;
  if (live_ == 0) {
    ws_switch_stack(&fibers_[from].stack_pointer, scheduler_stack_);
  }
  switch_to_next();
}

void BlockRunner::fiber_main(std::size_t index) {
  Fiber& fiber = fibers_[index];
  thread_(block_, fiber.thread[0], fiber.thread[1], fiber.thread[2], args_);
  fiber.state = FiberState::kDone;
  --live_;
  release_barrier_if_complete();
  if (at_warp_op_ != 0) {
    resolve_warp(index / kWarpSize);  // They may have waited for this lane only.
  }
  advance_warp(index / kWarpSize);
  leave();
  __builtin_unreachable();
}

std::uint32_t BlockRunner::barrier(cpu_abi::BarrierMode mode, bool predicate, std::uint32_t site) {
  Fiber& fiber = fibers_[current_];
  fiber.state = FiberState::kAtBarrier;
  fiber.site = site;
  if (arrived_ == 0) {
    barrier_true_ = 0;
    barrier_site_ = site;
  }
  barrier_true_ += predicate ? 1 : 0;
  barrier_mode_ = mode;
  barrier_diverged_ = barrier_diverged_ || site != barrier_site_;
  const std::size_t turn = order_.turn_of(current_);
  at_barrier_[turn / 64] |= std::uint64_t{1} << (turn % 64);
  ++arrived_;
  release_barrier_if_complete();
  advance_warp(current_ / kWarpSize);
  switch_to_next();
  fiber.state = FiberState::kReady;
  return barrier_result_;
}

void BlockRunner::release_barrier_if_complete() {
  if (live_ == 0 || arrived_ != live_) {
    return;
  }
  if (barrier_diverged_) {
    report_waiting(RunStatus::kBarrierDivergence);
  }
  barrier_result_ = barrier_true_;
  if (barrier_mode_ == cpu_abi::BarrierMode::kAnd) {
    barrier_result_ = barrier_true_ == arrived_ ? 1 : 0;
  } else if (barrier_mode_ == cpu_abi::BarrierMode::kOr) {
    barrier_result_ = barrier_true_ != 0 ? 1 : 0;
  }
  arrived_ = 0;
  // A whole word of fibers at once: this runs at every barrier of every block.
  for (std::size_t word = 0; word < (fibers_.size() + 63) / 64; ++word) {
    ready_[word] |= at_barrier_[word];
    at_barrier_[word] = 0;
  }
}

std::uint64_t BlockRunner::warp_op(cpu_abi::WarpMode mode, std::uint32_t mask, std::uint64_t value,
                                   std::uint32_t lane, std::uint32_t width, std::uint32_t site) {
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

std::uint32_t BlockRunner::active_mask() const {
  const std::size_t first = current_ / kWarpSize * kWarpSize;
  const std::size_t count = std::min<std::size_t>(kWarpSize, fibers_.size() - first);
  std::uint32_t mask = 0;
  for (std::size_t lane = 0; lane < count; ++lane) {
    mask |= fibers_[first + lane].state == FiberState::kDone ? 0U : 1U << lane;
  }
  return mask;
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

void BlockRunner::report_waiting(RunStatus status) const {
  RunReply reply;
  reply.status = status;
  reply.block = block_->block_idx;
  reply.has_block = 1;
  for (const Fiber& fiber : fibers_) {
    const bool waits =
        fiber.state == FiberState::kAtBarrier || fiber.state == FiberState::kAtWarpOp;
    if (!waits) {
      continue;
    }
    if (reply.site == kNoPlace) {
      reply.site = fiber.site;
      reply.thread = fiber.thread;
      reply.has_thread = 1;
    }
    if (fiber.site == reply.site) {
      ++reply.waiting;
    } else {
      reply.other_site = reply.other_site == kNoPlace ? fiber.site : reply.other_site;
      ++reply.other_waiting;
    }
  }
  report_and_exit(reply);
}

}  // namespace ws::cpu

void ws_fiber_main(unsigned long index) {
  ws::cpu::current_runner()->fiber_main(index);
}
