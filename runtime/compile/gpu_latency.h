// How long a warp of a GPU waits: in clock cycles from an instruction to one that needs its result.
#pragma once

#include <cstdint>

namespace ws {

struct GpuLatency {
  std::uint32_t arithmetic;
  std::uint32_t special;  ///< Division, roots, exponentials.
  std::uint32_t warp;     ///< Shuffles and votes.
  std::uint32_t barrier;  ///< When all are there.
  std::uint32_t shared;
  std::uint32_t l1;      ///< A load that hits the SM's own cache.
  std::uint32_t beyond;  ///< A load that does not: from L2 or memory.
};

/// H100. Microbenchmarks (Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU
/// Architecture"): 30 cycles for shared memory, 41 for L1, 263 for L2 and some 480 for memory; one
/// number stands for the last two.
inline constexpr GpuLatency kHopperLatency = {
    .arithmetic = 4,
    .special = 20,
    .warp = 24,
    .barrier = 20,
    .shared = 30,
    .l1 = 41,
    .beyond = 350,
};

/// Its clock, and the longest that __nanosleep() sleeps, as PTX says.
inline constexpr double kHopperCyclesPerNs = 1.755;
inline constexpr std::uint32_t kMostSleepNs = 1'000'000;

/// The rounds of an innermost loop that a GPU's compiler runs side by side when their loads do not
/// depend on each other: NVCC unrolls loops of unknown length so often.
inline constexpr std::uint32_t kRoundsAtOnce = 4;

}  // namespace ws
