// The functions by which the worker runs the phases of a kernel.
#pragma once

#include <string>
#include <vector>

#include "runtime/compile/clang/phases/cut.h"

namespace ws::clang_engine {

/// Makes the cpu_abi::TurnFn `name`: one thread, any phase. It is run seldom, and not worth much of
/// the compiler's time.
/// @param stops  Those of the kernel, in order.
void make_turn_function(const std::vector<Phase>& phases, const std::vector<Stop>& stops,
                        const std::string& name);

/// Makes the cpu_abi::RowsFn `name`: all threads of a unit, phase after phase, until they part, or
/// come to a stop at which they meet others or which only the worker can carry out.
/// @param stops       Those of the kernel, in order.
/// @param uniformity  Theirs.
/// @param warps       A unit is a warp, and its threads follow each other on the x axis; else a
/// block.
/// @param checked     The phases have bounds checks: it runs one only where a guard tells that they
/// hold for all threads.
void make_rows_function(const std::vector<Phase>& phases, const std::vector<Stop>& stops,
                        const Uniformity& uniformity, bool warps, bool checked,
                        const std::string& name);

}  // namespace ws::clang_engine
