// The counters of a run put together: for the whole plan and by source line.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/compile/compile.h"
#include "runtime/device/profile_counters.h"

namespace ws {

/// Estimates for the whole grid: what was counted, scaled up by the work of all blocks where only
/// some were counted.
struct Counts {
  std::array<double, kInstrClasses> instructions = {};  ///< Executed by warps, by class.
  double warp_instructions = 0;                         ///< The sum over all classes.
  double thread_instructions = 0;
  /// As many as there had been, had all threads of each warp taken part.
  double present_instructions = 0;
  double flops = 0;
  std::array<double, kMemorySpaces> requests = {};
  std::array<double, kMemorySpaces> bytes = {};
  double sectors = 0;
  double ideal_sectors = 0;
  double lines = 0;
  double l2_sectors = 0;
  double passes = 0;
  double ideal_passes = 0;
  double branches = 0;
  double divergent_branches = 0;
  double latency_cycles = 0;  ///< The waits of warps, added up, by Machine's latencies.

  void add(const Counts& other, double factor = 1);
};

/// One list: what the report and the results show of Counts, and how.
struct CountRow {
  const char* name;
  const char* unit;
  double Counts::* value;
};

inline constexpr std::array kCountRows = {
    CountRow{"warp_instructions", "instructions", &Counts::warp_instructions},
    CountRow{"thread_instructions", "instructions", &Counts::thread_instructions},
    CountRow{"flops", "operations", &Counts::flops},
    CountRow{"sectors", "sectors of 32 bytes", &Counts::sectors},
    CountRow{"ideal_sectors", "sectors of 32 bytes", &Counts::ideal_sectors},
    CountRow{"lines", "lines of 128 bytes", &Counts::lines},
    CountRow{"l2_sectors", "sectors of 32 bytes", &Counts::l2_sectors},
    CountRow{"shared_passes", "cycles", &Counts::passes},
    CountRow{"ideal_shared_passes", "cycles", &Counts::ideal_passes},
    CountRow{"branches", "branches", &Counts::branches},
    CountRow{"divergent_branches", "branches", &Counts::divergent_branches},
};

struct LineCounts {
  std::string region;  ///< source | macros | a header's name; "" = code of no line.
  int line = 0;
  Counts counts;
};

/// One launch of the plan.
struct StepCounts {
  std::size_t entry = 0;
  double blocks = 0;
  double share = 0;       ///< Its part of what its entry does in the plan, 0 to 1.
  double chain = 0;       ///< Cycles of a block that has an SM for itself; the mean.
  double longest = 1;     ///< The work of the block that does most, over that of the mean one.
  double unevenness = 1;  ///< The mean work of all blocks, over that of those that were counted.
  double hottest = 0;     ///< Atomic updates of one sector.
};

struct PlanCounts {
  Counts total;
  std::vector<Counts> entries;     ///< By entry of the image.
  std::vector<StepCounts> steps;   ///< By launch.
  std::vector<LineCounts> lines;   ///< By region and line.
  double blocks = 0;               ///< The blocks of all launches that ran.
  double sampled = 0;              ///< Those of them that were counted.
  double static_instructions = 0;  ///< The instructions of the code that ran, each once.
};

/// @param counters  Of a run of the image.
PlanCounts put_together(const Image& image, const ProfileCounters& counters,
                        const std::vector<std::size_t>& entry_of_step);

}  // namespace ws
