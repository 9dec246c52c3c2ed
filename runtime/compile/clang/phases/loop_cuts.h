// Cuts in loops without stops, so that LLVM makes vectors of the threads: it does so in innermost
// loops only, and behind a cut the loop over the threads is one.
#pragma once

#include <vector>

#include "runtime/compile/clang/phases/stops.h"
#include "runtime/compile/clang/phases/uniform.h"

namespace ws::clang_engine {

/// Marks innermost loops in which neighbours on the x axis use the same memory or neighbouring
/// elements: a call of `kLoopCut` at the start of each round, which counts as a stop.
void insert_loop_cuts(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/// Takes out those that not all threads of a unit come to together, round by round, unless the
/// threads only share out the elements of a row: then but the last rounds are run together.
void remove_parted_cuts(llvm::Function& function, std::vector<Stop>& stops, Uniformity& uniformity);

}  // namespace ws::clang_engine
