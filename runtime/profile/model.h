// A GPU's time from counts: how long each of its units is busy, and which one is the slowest.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/tile_work.h"
#include "runtime/profile/counts.h"
#include "runtime/profile/machine.h"

namespace ws {

/// One launch as the GPU sees it.
struct LaunchShape {
  std::string entry;
  double blocks = 1;
  double threads = 1;  ///< The threads of a block.
  double shared_bytes = 0;
  std::optional<double> occupancy;  ///< 0 to 1; nothing: not known.
  /// The limit that keeps it from 1: registers | shared memory | block size; "" = nothing.
  std::string occupancy_limit;
  std::int64_t registers = -1;  ///< The registers of a thread; -1 = not known.
  std::int64_t spill_bytes = -1;
  double live_words = 0;  ///< The registers that a thread needs, by the code; 0 = not known.
};

/// The counts of a GPU's counters for its memory system.
struct MemoryCounts {
  double busy = 0;         ///< Its busiest part, 0 to 1 of the time.
  double local_share = 0;  ///< 0 to 1 of the sectors that warps asked for: threads' own memory.
};

struct ProfileInput {
  PlanCounts counts;
  std::vector<LaunchShape> launches;
  /// How much larger the workload is that the question was about than the one that ran.
  double scale = 1;
  std::optional<double> flops;         ///< As the problem says; else what was counted.
  std::optional<double> bytes;         ///< The bytes that have to be moved, as the problem says.
  double footprint_bytes = 0;          ///< The size of all buffers.
  std::vector<TileWork> tiles;         ///< All launches of a kernel of tiles; else empty.
  std::optional<double> measured_us;   ///< On a GPU: the time that causes are a share of.
  std::optional<MemoryCounts> memory;  ///< Where a GPU counted.
};

/// The parts of a GPU that a kernel can keep busy. One list: kPartNames follows it.
enum class Part : std::uint8_t { kIssue, kArithmetic, kLoadStore, kL2, kDram, kLatency };

inline constexpr std::array kPartNames = {"issue", "arithmetic", "load_store",
                                          "l2",    "dram",       "latency"};
inline constexpr std::size_t kParts = kPartNames.size();

struct Model {
  /// The busiest SM's, over all launches, were it the only part that takes time.
  std::array<double, kParts> cycles = {};
  InstrClass busiest = InstrClass::kOther;  ///< The class that keeps kArithmetic busy.
  double sms = 1;                           ///< The SMs that have work.
  double resident_warps = 1;                ///< On each of them.
  double possible_warps = 1;  ///< The same, were it not for registers and shared memory.
  double launch_us = 0;
  double work_us = 0;   ///< All launches without launch_us.
  double total_us = 0;  ///< work_us and launch_us, or what was measured if that is more.
  std::string limiter;  ///< memory | load_store | compute | latency | launch
  double flops = 0;
  double bytes = 0;
  double peak_gflops = 0;  ///< By the kind of arithmetic that the kernel uses.
  double roof_us = 0;      ///< The least time for bytes and flops.
  bool memory_roof = true;

  [[nodiscard]] double us(Part part) const;
  /// Cycles of one SM as a share of the whole time.
  [[nodiscard]] double share(double sm_cycles) const;
};

Model model_of(const ProfileInput& input);

}  // namespace ws
