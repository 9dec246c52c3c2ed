// Threads that return before the others, in kernels whose warps work together.
#include <algorithm>

#include "runtime/base/units.h"
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

/// Threads for which `holds` have returned. Where the whole block does, the program does so too.
/// Where it is for a part of a warp, no thread does: PTX ISA leaves undefined what an instruction
/// of the whole warp does then, and the kernel has such instructions.
/// @param before  How many conditions there were around the branch.
Status Block::exit_by(TermId holds, std::size_t before) {
  if (mode_.together && !is_alike(terms_, holds, static_cast<std::size_t>(kWarpSize))) {
    return {};
  }
  if (mode_.by_warps && is_alike(terms_, holds, lanes_) && carried_.depth() == 0) {
    return reports_.leave(holds, steps_.where());
  }
  // Threads that returned do nothing more: what follows is done where they did not.
  guards_.mask(numbers_.negated(holds));
  guards_.leave_others(before);
  return {};
}

}  // namespace ws::lift
