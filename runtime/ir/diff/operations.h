// The operations that a program does on data, as a histogram: how often it does each kind.
//
// Where the data lies, how it gets there and which worker waits do not count, nor does arithmetic
// on indices and sizes: two programs that compute the same in different tiles, buffers and roles
// have the same histogram.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/base/result.h"

namespace ws::ir {

/// By the name of the operation, or the sign of the operator: {"*": 2, "exp": 1}. All products,
/// whatever instruction makes them, are "@". Any thread.
/// @errors kInvalidArgument: it is no program, see parse_program.
Result<std::map<std::string, std::uint32_t>> count_operations(const std::string& text);

}  // namespace ws::ir
