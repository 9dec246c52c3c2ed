// Memory of blocks that live at the same time on the CPU engine: those of a cooperative launch, and
// those that wait for each other.
#pragma once

#include <cstdint>

#include "runtime/compile/compile.h"

namespace ws {

/// All live blocks of a launch together may take so much.
inline constexpr std::uint64_t kMostLiveBytes = std::uint64_t{1} << 30U;

/// The engine's own record of a live block.
inline constexpr std::uint64_t kLiveRecordBytes = 16 << 10U;

/// A thread's stack where its need is not known: calls. Lazily backed by memory, with a guard page
/// below.
inline constexpr std::uint64_t kGuardedStackBytes = 128 << 10U;
inline constexpr std::uint64_t kStackGuardBytes = 4096;

/// How the stacks of a block's threads lie in memory.
struct ThreadStack {
  bool dense = false;       ///< Without guard pages: the need is known, and small.
  std::uint64_t bytes = 0;  ///< From one stack to the next.
};

/// The stack that a thread needs.
struct StackNeed {
  std::uint64_t kernel = 0;  ///< CompiledEntry::stack_bytes; 0: it is not known.
  std::uint64_t tool = 0;    ///< The functions that a profile or watched build calls need more.
};

ThreadStack thread_stack(const StackNeed& need);

/// Local memory of a thread.
std::uint64_t local_bytes(const CompiledEntry& entry);

/// A block of `threads` threads: their stacks, their local memory, the block's shared memory, and
/// its record.
/// @param tool  StackNeed::tool.
std::uint64_t live_block_bytes(const CompiledEntry& entry, std::uint64_t threads,
                               std::uint64_t dynamic_shared_bytes, std::uint64_t tool = 0);

/// Blocks of a launch whose blocks wait for each other that live at the same time on each of
/// `threads` OS threads. Together they are all blocks of a cooperative launch, and else as many as
/// there is room for, or a few more: rounded down they would be fewer than a kernel counts on.
/// @param room  So many blocks have memory.
std::uint64_t live_blocks_of_thread(bool cooperative, std::uint64_t blocks, std::uint64_t room,
                                    std::uint64_t threads);

}  // namespace ws
