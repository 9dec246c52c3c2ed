// The counts of a profile build that runs on the CPU engine, warp by warp, from the addresses that
// its threads use.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/profile_map.h"

namespace ws {

/// The counts of one stretch of code.
struct StretchCounters {
  std::uint64_t warps = 0;      ///< Times that a warp ran it.
  std::uint64_t threads = 0;    ///< Times that a thread ran it.
  std::uint64_t present = 0;    ///< Threads of those warps, whether they ran it or not.
  std::uint64_t divergent = 0;  ///< Times that threads of a warp left it by different ways.
};

/// The counts of one access. A request is what a warp asks for with one instruction.
struct AccessCounters {
  std::array<std::uint64_t, kMemorySpaces> requests = {};
  std::array<std::uint64_t, kMemorySpaces> bytes = {};  ///< Asked for by all threads.
  std::uint64_t sectors = 0;        ///< The sectors of 32 bytes that global requests touched.
  std::uint64_t ideal_sectors = 0;  ///< Sectors that their bytes would fill if contiguous.
  std::uint64_t passes = 0;         ///< Cycles of shared memory that shared requests took.
  std::uint64_t ideal_passes = 0;   ///< Cycles that they would take without bank conflicts.
  std::uint64_t lines = 0;          ///< The lines of 128 bytes that global requests touched.
  std::uint64_t l2_sectors = 0;     ///< Sectors that L1 did not have, or that were written.
};

/// The counts of one launch of the plan.
struct StepCounters {
  std::uint64_t blocks = 0;   ///< Blocks that ran.
  std::uint64_t sampled = 0;  ///< Those of them that were counted.
  /// The work of all blocks, whether they were counted or not: instructions of threads, in which an
  /// access weighs as much as kAccessWork.
  std::uint64_t work = 0;
  std::uint64_t sampled_work = 0;  ///< That of the counted blocks.
  std::uint64_t longest_work = 0;  ///< That of the block with most.
  std::uint64_t chain = 0;         ///< Cycles of the slowest warp of each counted block, added up.
  std::uint64_t hottest = 0;       ///< Atomic updates of the sector that has most.

  static constexpr std::uint32_t kAccessWork = 8;

  /// @param other  Of the same launch, by another thread of the engine.
  void add(const StepCounters& other);
};

/// One row for each stretch and access of the image's ProfileMap and each step of the plan.
struct ProfileCounters {
  std::vector<StretchCounters> stretches;
  std::vector<AccessCounters> accesses;
  std::vector<StepCounters> steps;

  /// All zero.
  ProfileCounters(const ProfileMap& map, std::size_t steps_of_plan)
      : stretches(map.stretches.size()),
        accesses(map.accesses.size()),
        steps(steps_of_plan) {}

  /// @param other  Of the same map and plan.
  void add(const ProfileCounters& other);
};

/// As one frame of 64-bit numbers, in order.
std::string encode(const ProfileCounters& counters);

/// Reads what encode() wrote into counters that have the same map and plan.
/// @errors kInternal: the frame has another size.
Status decode_counters(std::string_view frame, ProfileCounters& counters);

}  // namespace ws
