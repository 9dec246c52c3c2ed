// The counted work of a kernel of tiles in the form of a profile's counts: as the instructions of
// warps that a compiler makes of it.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/kernel/tile_work.h"
#include "runtime/profile/counts.h"

namespace ws {

/// Latency and shared memory are not known: they stay 0.
/// @param entry_of_step  As many as the counters have steps; less than `entries`.
PlanCounts put_together(const TileCounters& counters, std::size_t entries,
                        const std::vector<std::size_t>& entry_of_step);

/// The rows for all launches of their programs, added up where they differ in the program only;
/// by line.
std::vector<TileWork> of_all_launches(const TileCounters& counters);

}  // namespace ws
