// One step of a plan while it runs, shared by all OS threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/device/cpu/abi.h"
#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/grid_barrier.h"
#include "runtime/device/cpu/phase_runner.h"
#include "runtime/device/run_mode.h"
#include "runtime/device/run_plan.h"

namespace ws::cpu {

/// The threads of one block.
inline std::uint64_t threads_of(const RunStep& step) {
  return std::uint64_t{step.block[0]} * step.block[1] * step.block[2];
}

inline std::uint64_t blocks_of(const RunStep& step) {
  return std::uint64_t{step.grid[0]} * step.grid[1] * step.grid[2];
}

/// Local memory begins at most so many bytes behind its place.
inline constexpr std::uint64_t kMostLocalShift = 4096 - cpu_abi::kLocalAlignment;

/// Memory of one block: the distance from it to that of the next block of its OS thread.
struct BlockBytes {
  std::uint64_t shared = 0;
  std::uint64_t local = 0;
  std::uint64_t carried = 0;
};

struct Launch {
  const RunStep* step = nullptr;
  cpu_abi::ThreadFn thread = nullptr;
  cpu_abi::BlockFn block = nullptr;  ///< Null: the kernel has barriers.
  PhaseFunctions phases;             ///< Then it may be cut at them; else it needs fibers.
  std::vector<void*> args;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> bounds;
  BlockBytes block_bytes;
  std::uint64_t shared_bytes = 0;
  StackNeed stack;
  LocalMemory local;              ///< Without its base.
  std::uint64_t local_shift = 0;  ///< Bytes from the place of local memory to its base.
  /// The threads of a block that have local memory at one time.
  std::uint64_t threads_at_once = 1;
  bool yields = false;  ///< Threads may take turns: they have what fibers need.
  bool nests = false;   ///< And other blocks may run where they do.
  /// Blocks that may live at the same time on each OS thread; 0: they run one after another.
  std::uint64_t live = 0;
  GridBarrier grid_barrier;
  std::uint64_t poison = 0;
  bool zeros = false;  ///< In place of the poison.
  RunOrder order = RunOrder::kAscending;
  RunOrder block_order = RunOrder::kAscending;
  std::uint64_t order_seed = 0;
  std::uint64_t clock = 0;   ///< The clock of each block at its start.
  std::uint64_t blocks = 0;  ///< All blocks of the grid.
  std::uint64_t turns = 0;   ///< So many blocks run.
  bool sparse = false;       ///< Those of SparseBlocks.
  std::uint64_t chunk = 1;   ///< Turns that an OS thread claims at once.
  std::atomic<std::uint64_t> next = 0;
};

}  // namespace ws::cpu
