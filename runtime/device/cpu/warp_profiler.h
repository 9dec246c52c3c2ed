// Counts what warps do, from what the threads of a profile build tell: which stretch of code they
// enter, and the address of each access in it. One per OS thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/units.h"
#include "runtime/device/cpu/abi.h"
#include "runtime/device/cpu/first_cache.h"
#include "runtime/device/cpu/run_order.h"
#include "runtime/device/cpu/warp_clock.h"
#include "runtime/device/profile_counters.h"

namespace ws::cpu {

/// Where a block's memory lies: what an address belongs to that the compiler could not tell.
struct BlockMemory {
  std::uint64_t shared_low = 0;
  std::uint64_t shared_high = 0;
  std::uint64_t local_low = 0;
  std::uint64_t local_high = 0;
};

class WarpProfiler {
 public:
  /// Entries and exits of stretches that one OS thread counts of a launch before it counts no
  /// further blocks: about a second. A block that was begun is counted to its end.
  static constexpr std::uint64_t kMostEvents = 30'000'000;

  /// The stack that counting may need in a thread beyond what other calls of the worker do: the
  /// first call of a library's function runs the dynamic loader there.
  static constexpr std::uint64_t kStackBytes = 8192;

  /// @param map  Outlives it.
  WarpProfiler(const ProfileMap& map, std::size_t steps);

  void start_step(std::size_t step) {
    step_ = step;
    events_ = 0;
    updates_.fill(0);
  }

  /// The work of a thread in each stretch.
  [[nodiscard]] const std::vector<std::uint32_t>& work_of() const { return work_of_; }

  /// A block ran; `counted`: between start_block() and now. @param work  That of its threads.
  void block_done(bool counted, std::uint64_t work);

  [[nodiscard]] bool tired() const { return events_ > kMostEvents; }

  void start_block(std::size_t threads, const BlockMemory& memory);

  /// Thread `thread` of the block is about to access `bytes` bytes.
  void note(std::size_t thread, std::uint64_t address, std::uint32_t bytes);

  /// Thread `thread` of the block is about to sleep.
  void sleep(std::size_t thread, std::uint32_t nanoseconds);

  /// The threads `lanes` of a warp enter a stretch together.
  void enter(std::size_t warp, std::uint32_t lanes, std::uint32_t stretch);

  /// They have left it: counts it and its accesses. @param divergent  By different ways.
  void leave(std::size_t warp, std::uint32_t lanes, bool divergent);

  [[nodiscard]] const ProfileCounters& counters() const { return counters_; }

 private:
  /// One access of a warp.
  struct Request {
    std::array<std::uint64_t, kWarpSize> addresses{};
    std::array<std::uint32_t, kWarpSize> bytes{};
    std::uint32_t lanes = 0;  ///< Those that took part.
    std::uint32_t widest = 0;
    std::uint64_t total = 0;  ///< Bytes of all lanes.
    AccessKind kind = AccessKind::kLoad;
  };

  [[nodiscard]] std::size_t slot(std::size_t warp, std::uint32_t access, std::size_t lane) const;
  void gather(std::size_t warp, std::uint32_t lanes, std::uint32_t index);
  [[nodiscard]] MemorySpace space_of(const ProfiledAccess& access) const;
  void count_request(const ProfiledAccess& access, AccessCounters& row);
  void count_sectors(AccessCounters& row);
  void count_updates();
  /// The different words that the lanes ask for, by their first bytes. Overwrites units_.
  std::uint64_t count_words();
  std::uint64_t find_sectors();
  void count_passes(AccessCounters& row);
  [[nodiscard]] std::uint32_t phase_passes(std::uint32_t first_lane, std::uint32_t lanes);

  /// Sectors that atomics update, by their hash: few enough to keep, enough to tell a hot one.
  static constexpr std::size_t kUpdateRows = 4096;

  const ProfileMap& map_;
  std::vector<std::uint32_t> work_of_;
  std::vector<bool> barrier_;  ///< By stretch: it ends at a barrier.
  FirstCache cache_;
  WarpClock clock_;
  std::uint32_t slowest_load_ = 0;  ///< Cycles until the last load of the present stretch is there.
  std::array<std::uint64_t, kUpdateRows> updates_{};
  ProfileCounters counters_;
  BlockMemory memory_;
  std::size_t threads_ = 0;  ///< The threads of the block.
  std::size_t step_ = 0;
  std::uint64_t events_ = 0;
  std::array<std::uint32_t, kMaxBlockThreads / kWarpSize> stretches_{};  ///< By warp.
  std::array<std::uint32_t, kMaxBlockThreads> noted_{};  ///< Accesses of each thread so far.
  std::array<std::uint64_t, kMaxBlockThreads> slept_{};  ///< Nanoseconds since the last stretch.
  std::vector<std::uint64_t> addresses_;                 ///< By slot().
  std::vector<std::uint32_t> bytes_;                     ///< By slot().
  // Not on the stack: leave() runs on that of a kernel's thread, which is small.
  Request request_;
  std::array<std::uint64_t, std::size_t{2} * kWarpSize> units_{};
  std::array<std::uint32_t, kWarpSize> banks_{};
};

}  // namespace ws::cpu
