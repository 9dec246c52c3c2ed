// A ring whose blocks take their tiles in an order that is read from memory.
#pragma once

#include <string>

#include "tests/support/ring_kernel.h"

namespace ws::test {

/// The statement that copies a block's row of the order into shared memory.
extern const std::string kOrderCopy;

/// tests/lift/kernels/barrier_ring.cu with a row of 16 tiles for each of its 3 blocks, which ends
/// with a number that is no tile.
/// @param more  Changes to that source.
/// @param end   What stands behind a block's last tile; the kernel ends at -1.
LiftedRing lift_ordered_ring(const Edits& more = {}, const std::string& end = "-1");

}  // namespace ws::test
