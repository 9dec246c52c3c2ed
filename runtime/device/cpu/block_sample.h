// Chooses some blocks of a grid: those that a profile counts, and those that run where all are too
// many.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/mix64.h"
#include "runtime/device/run_mode.h"

namespace ws::cpu {

/// One block of each stretch of equal length, at a place that looks random, so that the sample does
/// not fall into step with the grid's rows.
class BlockSample {
 public:
  /// Threads that are counted of a launch: enough that their mean says what all do, few enough that
  /// a profile takes about a second.
  static constexpr std::uint64_t kThreads = 32768;
  static constexpr std::uint64_t kLeastBlocks = 8;

  BlockSample(std::uint64_t blocks, std::uint64_t threads_per_block) {
    const std::uint64_t wanted =
        std::max(kLeastBlocks, kThreads / std::max<std::uint64_t>(threads_per_block, 1));
    stride_ = std::max<std::uint64_t>((blocks + wanted - 1) / wanted, 1);
  }

  [[nodiscard]] bool has(std::uint64_t block) const {
    const std::uint64_t part = block / stride_;
    // The finaliser of MurmurHash3 (Appleby).
    std::uint64_t mixed = part + 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 33U) * 0xff51afd7ed558ccdULL;
    mixed = (mixed ^ mixed >> 33U) * 0xc4ceb9fe1a85ec53ULL;
    return block % stride_ == (mixed ^ mixed >> 33U) % stride_;
  }

 private:
  std::uint64_t stride_ = 1;
};

/// The first block, the last one, and some between them at places that look random.
class SparseBlocks {
 public:
  explicit SparseBlocks(std::uint64_t blocks)
      : blocks_(blocks) {}

  [[nodiscard]] std::uint64_t count() const { return std::min(blocks_, kSparseBlocks); }

  /// @param turn  Below count().
  [[nodiscard]] std::uint64_t block_at(std::uint64_t turn) const {
    if (blocks_ <= kSparseBlocks) {
      return turn;
    }
    return turn == 0 ? 0 : turn + 1 == kSparseBlocks ? blocks_ - 1 : mix64(turn) % blocks_;
  }

 private:
  std::uint64_t blocks_;
};

}  // namespace ws::cpu
