// Expressions of a plan as Python, whose syntax they have; names get prefixes as in cpp_expr.h.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

/// @errors kInvalidArgument: as parse_expr.
Result<std::string> python_expr(const std::string& text);

/// "(v_m, v_k,)"; "()" of none. @param path  For messages. @errors as python_expr, naming the item.
Result<std::string> python_tuple(const std::vector<std::string>& texts, const std::string& path);

/// The name of a parameter of a function: with _ behind it where Python reserves it.
std::string python_name(const std::string& name);

}  // namespace ws
