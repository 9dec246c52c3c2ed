// Expressions of a plan as C++ on the class Int of text/numbers.cuh: checked, as ours are.
#pragma once

#include <string>

#include "runtime/base/result.h"

namespace ws {

/// The names of the launcher's variables: v_ before a dim, a number or a parameter, b_ before a
/// buffer, m_ before a tensor map, so that none is a word of the language.
std::string cpp_variable(const std::string& name);
std::string cpp_buffer(const std::string& name);
std::string cpp_map(const std::string& name);

/// An expression of C++ of type Int. @errors kInvalidArgument: as parse_expr.
Result<std::string> cpp_expr(const std::string& text);

}  // namespace ws
