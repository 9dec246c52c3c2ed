// The stacks of the fibers of one OS thread, and what a signal handler must know of them.
#pragma once

#include <cstddef>

#include "runtime/device/live_blocks.h"

namespace ws::cpu {

inline constexpr std::size_t kCacheLine = 64;

/// At most two per OS thread, made and ended on it.
class FiberStacks {
 public:
  FiberStacks();
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  /// Room for `count` fibers, whose stacks may lose their contents.
  ///
  /// Where the need of one fiber is known, stacks lie side by side in few pages, and a switch does
  /// not miss the TLB. Else each gets kGuardedStackBytes and a guard page.
  void reserve(std::size_t count, const StackNeed& need);

  /// The end of a stack, from which it grows down. @param index  Less than what was reserved.
  [[nodiscard]] char* top(std::size_t index) const { return stacks_ + (index + 1) * slot_bytes_; }

  /// Whether the address lies in a guard page of these. Async-signal-safe.
  [[nodiscard]] bool guards(const char* address) const;

 private:
  void free();

  char* stacks_ = nullptr;
  std::size_t count_ = 0;
  std::size_t slot_bytes_ = 0;   ///< From one stack to the next.
  std::size_t guard_bytes_ = 0;  ///< At the low end of each slot.
};

/// True when the address lies in the guard page of a fiber's stack, or of the OS thread's own,
/// where kernels without barriers run. Async-signal-safe.
bool in_guard_page(const void* address);

}  // namespace ws::cpu
