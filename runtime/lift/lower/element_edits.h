// Edits of a kernel for changes that act on a tile's elements, or on an integer: loops over the
// registers that hold the tile, and expressions in place of others.
#pragma once

#include <string>
#include <vector>

#include "runtime/lift/lower/proposal.h"
#include "runtime/lift/lower/value_change.h"

namespace ws::lift {

/// Where a proposal's edits are made.
struct EditedKernel {
  const Tree& tree;
  FunctionId entry = kNone;
  const std::vector<RegisterTile>& registers;
  const std::map<std::string, std::string>& lines;      ///< Texts by region.
  const std::map<std::string, std::string>& arguments;  ///< Parameters, by CuIR's names.
  const std::vector<NewInput>& inputs;
};

/// The edits, at most one for a line.
/// @errors kUnsupported: a change that has no form in the kernel, with the reason.
Result<std::vector<ProposedEdit>> element_edits(const EditedKernel& kernel,
                                                const ReadProgram& lifted,
                                                const ReadProgram& target,
                                                const std::vector<ValueChange>& changes);

}  // namespace ws::lift
