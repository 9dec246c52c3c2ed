// Happens-before between the threads of a grid: which events a thread knows to be over.
//
// Each thread has a clock, which goes on when the thread tells others what it did: at a fence or a
// __syncwarp(). A block has an epoch, which goes on at each of its barriers. An event is known to a
// thread when a barrier of their block, a __syncwarp() of their warp, or a chain of fences and
// strong (atomic or volatile) accesses lies between the two.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/base/units.h"

namespace ws::cpu {

/// One access of one thread, as far as later ones are compared with it.
struct Event {
  static constexpr std::uint32_t kNever = 0xffffffff;

  std::uint32_t block = kNever;  ///< Its linear index in the grid; kNever: there was no access.
  std::uint32_t epoch = 0;
  std::uint32_t clock = 0;
  std::uint32_t site : 19 = 0;
  std::uint32_t thread : 10 = 0;  ///< Its linear index in the block.
  std::uint32_t strong : 1 = 0;   ///< Atomic or volatile.
  std::uint32_t narrow : 1 = 0;   ///< And so only for threads of its block.
  std::uint32_t loose : 1 = 0;    ///< Volatile, and no look for which its thread waits.

  /// A place in the code with a larger number is not looked at.
  static constexpr std::uint32_t kMostSites = 1U << 19U;
  static constexpr std::uint32_t kMostThreads = 1U << 10U;  ///< A block has as many.

  [[nodiscard]] bool happened() const { return block != kNever; }
};

static_assert(sizeof(Event) == 16, "A history keeps six of them for each word.");

/// The clocks of a warp's threads: events before them are known.
using LaneClocks = std::array<std::uint32_t, kWarpSize>;

class KnownEvents {
 public:
  /// Adds the events of a block before `epoch`, and those of one of its warps before `clocks`.
  void add(std::uint32_t block, std::uint32_t epoch, std::uint32_t warp, const LaneClocks& clocks);
  void add(const KnownEvents& other);

  [[nodiscard]] bool has(const Event& event) const;

  /// The blocks of which something is known: what a copy costs.
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }

 private:
  struct Warp {
    std::uint32_t number = 0;
    LaneClocks clocks{};
  };

  struct Block {
    std::uint32_t number = 0;
    std::uint32_t epoch = 0;
    std::vector<Warp> warps;
  };

  Block& block_of(std::uint32_t number);
  static void add(Block& block, std::uint32_t warp, const LaneClocks& clocks);

  std::vector<Block> blocks_;  ///< Ascending.
};

/// Null: nothing is known. Shared by those that know the same.
using Knowledge = std::shared_ptr<const KnownEvents>;

Knowledge joined(const Knowledge& one, const Knowledge& other);

}  // namespace ws::cpu
