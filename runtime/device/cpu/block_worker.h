// Runs blocks of a launch on one OS thread, one after another, until none is left.
#pragma once

#include <memory>
#include <optional>

#include "runtime/device/cpu/block_sample.h"
#include "runtime/device/cpu/launch.h"
#include "runtime/device/cpu/run_order.h"

namespace ws::cpu {

/// The memory that one block at a time has.
struct BlockSpace {
  char* shared = nullptr;
  char* local = nullptr;
  char* carried = nullptr;  ///< Values that threads carry from phase to phase.
};

/// The memory of the blocks on one OS thread.
struct ThreadSpace {
  BlockSpace own;
  BlockSpace nested;  ///< For a block that runs while another one is held; null: none does.
};

/// Made for one launch, on the thread that calls it.
class BlockWorker {
 public:
  /// @param runner    The thread's.
  /// @param thread    The thread's number: its leftovers differ from those of others.
  /// @param profiler  Null: nothing is counted. @param watch  Null: it is no watched build.
  BlockWorker(Launch& launch, BlockRunner& runner, const ThreadSpace& memory, std::size_t thread,
              WarpProfiler* profiler, RaceWatch* watch);

  /// Does not return when the kernel goes wrong.
  void run();

 private:
  /// The turn of the next block; nothing when all are claimed.
  /// @param tells  Others are told which block it is: not where a block before it is held.
  std::optional<std::uint64_t> claim(bool tells);
  void fill(const BlockSpace& memory);
  [[nodiscard]] cpu_abi::Block in_memory(const BlockSpace& memory) const;
  void place(cpu_abi::Block& block, std::uint64_t index) const;
  [[nodiscard]] std::uint64_t index_of(std::uint64_t turn) const;
  void run_block(BlockRunner& runner, cpu_abi::Block& block, std::uint64_t turn);
  /// Runs one block beside the one that is held. @return  False: there is none left.
  bool run_nested();

  Launch& launch_;
  BlockRunner& runner_;
  const ThreadSpace memory_;
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
};

}  // namespace ws::cpu
