// CuIR text to a tree.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/result.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

/// Parses a program: imports and constants, then one class derived from KernelBase with constants
/// and methods. Reports several errors to `diagnostics` and then gives nothing. Any thread.
std::optional<Program> parse(std::string text, Diagnostics& diagnostics);

/// parse() with all errors in one. @errors kInvalidArgument: see Diagnostics::to_error.
Result<Program> parse_program(std::string text);

}  // namespace ws::ir
