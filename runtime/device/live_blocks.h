// Memory of blocks that live at the same time on the CPU engine: those of a cooperative launch, and
// those that wait for each other.
#pragma once

#include <cstdint>

#include "runtime/compile/compile.h"

namespace ws {

/// All live blocks of a launch together may take so much.
inline constexpr std::uint64_t kMostLiveBytes = std::uint64_t{1} << 30U;

/// A thread's stack where its need is not known: calls. Lazily backed by memory, with a guard page
/// below.
inline constexpr std::uint64_t kGuardedStackBytes = 128 << 10U;
inline constexpr std::uint64_t kStackGuardBytes = 4096;

/// How the stacks of a block's threads lie in memory.
struct ThreadStack {
  bool dense = false;       ///< Without guard pages: the need is known, and small.
  std::uint64_t bytes = 0;  ///< From one stack to the next.
};

/// @param stack_bytes  CompiledEntry::stack_bytes.
ThreadStack thread_stack(std::uint64_t stack_bytes);

/// Local memory of a thread.
std::uint64_t local_bytes(const CompiledEntry& entry);

/// A block of `threads` threads: their stacks, their local memory, and the block's shared memory.
std::uint64_t live_block_bytes(const CompiledEntry& entry, std::uint64_t threads,
                               std::uint64_t dynamic_shared_bytes);

}  // namespace ws
