// Conditions that are the same for all threads of the block.
#pragma once

#include "runtime/lift/write/writing.h"

namespace ws::lift {

/// A condition on integers as an expression.
/// @errors kUnsupported: it is no comparison, or depends on data or on the thread.
Result<ir::ExprId> uniform_condition(Writing& on, TermId condition);

}  // namespace ws::lift
