#pragma once

#include <span>

#include "runtime/ir/exec/value.h"

namespace ws::ir {

/// As a cast of floating point numbers does: what is beyond an integer type is its end.
void saturate(DType dtype, std::span<double> data);

/// Rounds `data` to what `mode` keeps of elements of `dtype`. NaNs stay as they are; integers wrap,
/// and become too_large() beyond 2^53.
void round_to(ValueMode mode, DType dtype, std::span<double> data);

}  // namespace ws::ir
