// How a kernel that goes wrong is reported from inside its worker: one reply, then the process
// ends.
#pragma once

#include <cstdint>

#include "runtime/device/run_reply.h"

namespace ws::cpu {

/// Where replies go and what is running; set by the worker's main thread before kernels run.
struct FaultScope {
  int reply_fd = -1;
  const char* code = nullptr;  ///< The image in memory.
  std::uint64_t code_bytes = 0;
  std::uint32_t step = 0;
};

FaultScope& fault_scope();

/// Sends `reply` and ends the process. Of several threads with a fault the one in the lowest block
/// wins, so that the same mistake is always reported in the same way; a stop does not wait for
/// others. Async-signal-safe.
[[noreturn]] void report_and_exit(RunReply reply);

/// Handlers for SEGV, BUS, FPE, ILL, ABRT (the kernel crashed) and USR1 (the server's stop).
void install_signal_handlers();

/// Gives the calling thread a stack for signal handlers: its own may be what overflowed.
void install_signal_stack();

/// Marks the calling thread as running kernel code: for kStopped's place and the order of faults.
class KernelScope {
 public:
  KernelScope();
  ~KernelScope();
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

  /// From now on the thread runs only blocks from `index` on (linear in the grid). To be said
  /// before a block is claimed, so that who claims a later one sees it, and again when it is known
  /// which.
  static void at_block(std::uint64_t index);
};

}  // namespace ws::cpu
