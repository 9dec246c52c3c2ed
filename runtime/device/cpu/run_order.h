// The orders in which blocks start and threads take their turns: ascending, as they are numbered,
// and others, which show what a kernel takes for granted where it has no barrier and no atomic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/device/run_mode.h"

namespace ws::cpu {

inline constexpr std::size_t kMaxBlockThreads = 1024;

/// The threads of one block. In a random order the warps are shuffled, and the lanes within them.
class ThreadOrder {
 public:
  /// @param seed  Decides a random order: each block has one of its own.
  void start(RunOrder order, std::uint64_t seed, std::size_t threads);

  [[nodiscard]] std::size_t thread_at(std::size_t turn) const { return threads_[turn]; }

  [[nodiscard]] std::size_t turn_of(std::size_t thread) const { return turns_[thread]; }

 private:
  void shuffle(std::uint64_t seed, std::size_t threads);

  RunOrder order_ = RunOrder::kAscending;
  std::size_t count_ = 0;  ///< The threads that the tables below are for.
  std::array<std::uint16_t, kMaxBlockThreads> threads_{};
  std::array<std::uint16_t, kMaxBlockThreads> turns_{};
};

/// The blocks of one grid, without a table of them.
class BlockOrder {
 public:
  BlockOrder(RunOrder order, std::uint64_t seed, std::uint64_t blocks);

  /// The block, linear in the grid, that starts as number `turn`.
  [[nodiscard]] std::uint64_t block_at(std::uint64_t turn) const;

 private:
  std::uint64_t blocks_;
  std::uint64_t step_ = 1;  ///< Has no common divisor with the number of blocks.
  std::uint64_t first_ = 0;
};

}  // namespace ws::cpu
