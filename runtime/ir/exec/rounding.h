#pragma once

#include <span>

#include "runtime/ir/exec/value.h"

namespace ws::ir {

/// Rounds `data` to what `mode` keeps of elements of `dtype`. NaNs stay as they are.
void round_to(ValueMode mode, DType dtype, std::span<double> data);

}  // namespace ws::ir
