// Kinds of instructions.
#pragma once

#include "runtime/compile/spirv/words.h"

namespace ws::spirv {

bool is_atomic(Op op);

/// Whether the instruction, in a function or of a variable, begins with a type and the id of its
/// value.
bool has_result(Op op);

/// Whether the instruction, before the first function, makes a value that an index or the base of a
/// chain may be.
bool is_global_value(Op op);

/// An access chain.
bool is_chain(Op op);

}  // namespace ws::spirv
