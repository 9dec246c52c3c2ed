#include "runtime/device/cpu/fault.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <ctime>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/device/cpu/block_runner.h"

namespace ws::cpu {
namespace {

constexpr int kExitAfterFault = 99;
constexpr std::size_t kSignalStackBytes = 64 << 10U;
constexpr std::size_t kMaxThreads = 1024;
/// How long a fault waits for blocks before its own: one of them may run for ever.
constexpr std::int64_t kLowerBlocksNs = 100'000'000;

/// A thread that is inside a kernel; a stop is passed on to one of them.
struct alignas(kCacheLine) Running {
  std::atomic<pthread_t> thread = 0;
  std::atomic<std::uint64_t> block = 0;  ///< It runs no block before this one any more.
};

std::atomic_flag g_reported = ATOMIC_FLAG_INIT;
std::array<Running, kMaxThreads> g_running{};
thread_local std::size_t t_slot = kMaxThreads;

std::uint64_t code_offset_of(const void* pc) {
  const auto* at = static_cast<const char*>(pc);
  const FaultScope& scope = fault_scope();
  const bool inside = at >= scope.code && at < scope.code + scope.code_bytes;
  return inside ? static_cast<std::uint64_t>(at - scope.code) : 0;
}

/// The first return address into the image on the stack of a thread that is in a library function
/// (memset, expf): the call's place.
std::uint64_t caller_offset(const ucontext_t& context) {
  constexpr std::uintptr_t kPage = 4096;
  auto at = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
  if (in_guard_page(reinterpret_cast<const void*>(at))) {
    at = (at / kPage + 1) * kPage;  // The stack overflowed: below the page's end nothing is mapped.
  }
  const auto* stack = reinterpret_cast<const void* const*>(at);
  for (std::size_t i = 0; i < 64; ++i) {
    if (const std::uint64_t offset = code_offset_of(stack[i]); offset != 0) {
      return offset;
    }
  }
  return 0;
}

void pass_stop_on() {
  for (const Running& running : g_running) {
    if (const pthread_t target = running.thread.load(); target != 0) {
      pthread_kill(target, SIGUSR1);
      return;
    }
  }
}

bool others_run_before(std::uint64_t block) {
  return std::any_of(g_running.begin(), g_running.end(), [block](const Running& running) {
    return running.thread.load() != 0 && running.block.load() < block;
  });
}

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Returns once no thread runs a block before the calling thread's: had one of them a fault, the
/// process would have ended.
void wait_for_lower_blocks() {
  if (t_slot == kMaxThreads) {
    return;
  }
  const std::uint64_t own = g_running[t_slot].block.load();
  const std::int64_t end = now_ns() + kLowerBlocksNs;
  while (others_run_before(own) && now_ns() < end) {
    ::sched_yield();
  }
}

void on_signal(int signal, siginfo_t* info, void* raw_context) {
  const auto& context = *static_cast<const ucontext_t*>(raw_context);
  if (signal == SIGUSR1 && t_slot == kMaxThreads) {
    pass_stop_on();
    return;
  }
  RunReply reply;
  reply.status = signal == SIGUSR1 ? RunStatus::kStopped : RunStatus::kSignal;
  reply.signal = signal;
  if ((signal == SIGSEGV || signal == SIGBUS) && in_guard_page(info->si_addr)) {
    reply.status = RunStatus::kStackOverflow;
  }
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  const std::uint64_t here = code_offset_of(reinterpret_cast<const void*>(pc));
  // Where a stack has no room for a call, the call's line says more than the start of its function.
  const bool by_caller = here == 0 || reply.status == RunStatus::kStackOverflow;
  const std::uint64_t caller = by_caller ? caller_offset(context) : 0;
  reply.code_offset = caller != 0 ? caller : here;
  describe_running_thread(reply);
  const BlockRunner* runner = current_runner();
  if (reply.code_offset == 0 && reply.has_thread == 0 && runner != nullptr) {
    // All threads of its blocks wait for what others write: one of them stands for all.
    reply.code_offset = code_offset_of(runner->last_look().from);
    reply.thread = runner->last_look().thread;
    reply.has_thread = reply.code_offset != 0 ? 1 : 0;
  }
  report_and_exit(reply);
}

}  // namespace

FaultScope& fault_scope() {
  static FaultScope scope;
  return scope;
}

void report_and_exit(RunReply reply) {
  if (reply.status != RunStatus::kStopped) {
    wait_for_lower_blocks();
  }
  if (g_reported.test_and_set()) {
    for (;;) {
      ::pause();  // Another thread is ending the process.
    }
  }
  reply.step = fault_scope().step;
  const std::uint32_t size = sizeof reply;
  std::array<char, sizeof size + sizeof reply> frame{};
  __builtin_memcpy(frame.data(), &size, sizeof size);
  __builtin_memcpy(frame.data() + sizeof size, &reply, sizeof reply);
  // A server that is gone needs no reply.
  [[maybe_unused]] const ssize_t sent = ::write(fault_scope().reply_fd, frame.data(), frame.size());
  ::_exit(kExitAfterFault);
}

void install_signal_stack() {
  stack_t stack{};
  stack.ss_size = kSignalStackBytes;
  stack.ss_sp = ::mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::sigaltstack(&stack, nullptr);
}

void install_signal_handlers() {
  struct sigaction action{};

  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR1}) {
    ::sigaction(signal, &action, nullptr);
  }
}

KernelScope::KernelScope() {
  for (std::size_t i = 0; i < kMaxThreads; ++i) {
    pthread_t empty = 0;
    if (g_running[i].thread.compare_exchange_strong(empty, pthread_self())) {
      t_slot = i;
      return;
    }
  }
}

KernelScope::~KernelScope() {
  if (t_slot < kMaxThreads) {
    g_running[t_slot].block = 0;
    g_running[t_slot].thread = 0;
    t_slot = kMaxThreads;
  }
}

void KernelScope::at_block(std::uint64_t index) {
  if (t_slot < kMaxThreads) {
    g_running[t_slot].block = index;
  }
}

}  // namespace ws::cpu
