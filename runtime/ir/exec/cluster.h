// The blocks of one cluster, which run together: their workers are scheduled until all are through.
// A launch without clusters has a cluster for each block.
#pragma once

#include "runtime/ir/exec/grid.h"

namespace ws::ir {

/// The number of clusters in each dimension of a grid whose sizes are known.
std::array<std::int64_t, 3> clusters_of(const Grid& grid);

/// Runs cluster number `cluster` of clusters_of(grid). False when the launch cannot go on.
bool run_cluster(Grid& grid, std::int64_t cluster);

/// Runs __init__ of the first block alone for the sizes of grid and cluster, into `grid`.
/// False as run_cluster().
bool measure_grid(Grid& grid);

}  // namespace ws::ir
