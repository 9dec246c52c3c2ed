// Runs blocks of a launch on one OS thread, until none is left: one after another, or several at
// the same time where they wait for each other.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/device/cpu/block_sample.h"
#include "runtime/device/cpu/launch.h"
#include "runtime/device/cpu/run_order.h"

namespace ws::cpu {

class LiveTurns;

/// The memory that one block at a time has. Blocks that live at the same time on an OS thread have
/// theirs side by side.
struct BlockSpace {
  char* shared = nullptr;
  char* local = nullptr;
  char* carried = nullptr;  ///< Values that threads carry from phase to phase.
};

/// Made for one launch, on the thread that calls it.
class BlockWorker {
 public:
  /// @param runner    The thread's. @param memory  That of the thread's first block.
  /// @param thread    The thread's number: its leftovers differ from those of others.
  /// @param profiler  Null: nothing is counted. @param watch  Null: it is no watched build.
  BlockWorker(Launch& launch, BlockRunner& runner, const BlockSpace& memory, std::size_t thread,
              WarpProfiler* profiler, RaceWatch* watch);

  /// Does not return when the kernel goes wrong.
  void run();

 private:
  /// One of several blocks that live at the same time.
  struct LiveBlock {
    std::unique_ptr<BlockRunner> runner;
    cpu_abi::Block block{};
    bool counted = false;
  };

  void run_one_after_another();
  void run_live();
  /// Begins as many blocks as are wanted, left, and have room. @return  Some have begun.
  bool begin_live(FiberStacks& stacks, LiveTurns& turns);
  void begin_live(std::size_t number, std::uint64_t turn, FiberStacks& stacks);
  /// The block at this place runs as far as it can.
  Progress go_on(std::size_t place);
  void wait_for_others(const LiveTurns& turns);
  /// The turn of the next block; nothing when all are claimed.
  /// @param tells  Others are told which block it is: not where a block before it is held.
  std::optional<std::uint64_t> claim(bool tells);
  /// The memory of one of the blocks.
  [[nodiscard]] BlockSpace space(std::size_t block) const;
  void fill(std::size_t block);
  [[nodiscard]] cpu_abi::Block in_memory(const BlockSpace& memory) const;
  [[nodiscard]] LocalMemory local_in(const BlockSpace& memory) const;
  void place(cpu_abi::Block& block, std::uint64_t index) const;
  [[nodiscard]] std::uint64_t index_of(std::uint64_t turn) const;
  /// Whether the threads of the block take turns.
  [[nodiscard]] bool interleaves(std::uint64_t turn) const;
  void run_block(BlockRunner& runner, cpu_abi::Block& block, std::uint64_t turn);
  /// Runs one block beside the one that is held. @return  False: there is none left.
  bool run_nested();

  Launch& launch_;
  BlockRunner& runner_;
  const BlockSpace memory_;
  const std::size_t thread_;
  WarpProfiler* const profiler_;
  RaceWatch* const watch_;
  const BlockOrder order_;
  const SparseBlocks some_;
  const BlockSample sample_;
  std::uint64_t turn_ = 0;  ///< The next of the turns that are claimed.
  std::uint64_t last_ = 0;  ///< Their end.
  std::unique_ptr<BlockRunner> nested_;
  cpu_abi::Block nested_block_{};
  std::vector<LiveBlock> live_;  ///< By place.
  std::uint64_t barrier_ = 0;    ///< The barrier of the grid that those that wait are at.
  bool counting_ = false;        ///< One of them is counted.
};

}  // namespace ws::cpu
