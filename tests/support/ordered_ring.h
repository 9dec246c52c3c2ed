// A ring whose blocks take their tiles in an order that is read from memory.
#pragma once

#include <string>
#include <vector>

#include "tests/support/ring_kernel.h"

namespace ws::test {

/// The statement that copies a block's row of the order into shared memory.
extern const std::string kOrderCopy;

/// tests/lift/kernels/barrier_ring.cu with a row of 16 tiles for each of its 3 blocks, which ends
/// with a number that is no tile.
/// @param more  Changes to that source.
/// @param end   What stands behind a block's last tile; the kernel ends at -1.
LiftedRing lift_ordered_ring(const Edits& more = {}, const std::string& end = "-1");

/// Statements where the kernel's barriers are ready, and a function or a class that they use.
/// `queue` has the block's 16 numbers of the order.
struct Statements {
  const char* statements;
  const char* function = "";
};

LiftedRing lift_ordered_ring(const Statements& more);

/// A program's lines without the marks behind them and the blanks before them.
std::string program_lines(const LiftedRing& answer);

/// CHECKs that the program lacks something, and says what.
void check_told(const LiftedRing& answer);

void check_all_told(const std::vector<Statements>& rows);

/// CHECKs that the kernel is lifted, with these lines in the program.
void check_lifted(const Statements& more, const std::string& lines);

}  // namespace ws::test
