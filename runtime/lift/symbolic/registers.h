// Special registers that a kernel reads by inline assembly.
#pragma once

#include <array>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// The tree with `x = blockIdx.x / 2` in place of `asm("mov.u32 %0, %clusterid.x;" : "=r"(x))`, and
/// so on for the other registers that depend on indices of threads and blocks alone.
/// @param block  The size of the block in threads. @param cluster  Of the cluster in blocks.
Tree without_special_registers(Tree tree, const std::array<std::int64_t, 3>& block,
                               const std::array<std::int64_t, 3>& cluster);

}  // namespace ws::lift
