// Threads that return before the others, in kernels whose warps work together.
#include <algorithm>

#include "runtime/base/units.h"
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

/// Whether a condition is the same in all threads of each group of so many.
bool Block::is_alike(TermId condition, std::size_t group) {
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const auto own = static_cast<std::int32_t>(lane);
    const auto first = static_cast<std::int32_t>(lane - lane % group);
    if (terms_.value_hash({condition, own}) != terms_.value_hash({condition, first})) {
      return false;
    }
  }
  return true;
}

/// Threads for which `holds` have returned. Where the whole block does, the program does so too.
/// Where it is for a part of a warp, no thread does: PTX ISA leaves undefined what an instruction
/// of the whole warp does then, and the kernel has such instructions.
/// @param before  How many conditions there were around the branch.
Status Block::exit_by(TermId holds, std::size_t before) {
  if (together_ && !is_alike(holds, static_cast<std::size_t>(kWarpSize))) {
    return {};
  }
  if (knows_warps_ && is_alike(holds, lanes_) && rounds_running_.empty()) {
    return dry_ ? Status() : sink_.leave(holds, steps_.where());
  }
  // Threads that returned do nothing more: what follows is done where they did not.
  mask(numbers_.negated(holds));
  exits_.insert(exits_.end(), conditions_.begin() + static_cast<std::ptrdiff_t>(before),
                conditions_.end());
  conditions_.resize(before);
  return {};
}

}  // namespace ws::lift
