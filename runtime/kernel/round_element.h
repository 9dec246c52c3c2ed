// A number as an element of a type holds it.
#pragma once

#include <cstdint>

#include "runtime/kernel/dtype.h"

namespace ws {

/// Gives what store_element() makes of `value`. Any thread.
double round_element(DType type, double value);

/// A whole number as one of an integer type of less than 64 bits, which keeps its low bits: two's
/// complement, as the machine has it. Of other types the number itself. Any thread.
std::int64_t low_bits(DType type, std::int64_t value);

}  // namespace ws
