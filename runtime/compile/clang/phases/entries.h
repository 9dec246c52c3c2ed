// The functions by which the worker runs the phases of a kernel.
#pragma once

#include <string>
#include <vector>

#include "runtime/compile/clang/phases/cut.h"

namespace ws::clang_engine {

/// Makes the cpu_abi::TurnFn `name`: one thread, any phase.
/// @param seldom  It is run seldom: rather short code than fast code.
void make_turn_function(const std::vector<Phase>& phases, const std::string& name, bool seldom);

/// Makes the cpu_abi::RowsFn `name`: all threads of a unit, phase after phase, until they part, or
/// come to a stop at which they meet others or which only the worker can carry out.
/// @param stops       Those of the kernel, in order.
/// @param uniformity  Theirs.
/// @param warps       A unit is a warp, and its threads follow each other on the x axis; else a
/// block.
void make_rows_function(const std::vector<Phase>& phases, const std::vector<Stop>& stops,
                        const Uniformity& uniformity, bool warps, const std::string& name);

}  // namespace ws::clang_engine
