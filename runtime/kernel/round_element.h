// A number as an element of a type holds it.
#pragma once

#include "runtime/kernel/dtype.h"

namespace ws {

/// Gives what store_element() makes of `value`. Any thread.
double round_element(DType type, double value);

}  // namespace ws
