// Expressions of a plan as C++ text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/expr/expr.h"

namespace ws {

/// The C++ text of each name that an expression may use: "n" -> "d_n".
using CppNames = std::map<std::string, std::string>;

/// The functions that the texts of cpp_expression() call, in namespace `handover`: floor division
/// and the functions of the language on std::int64_t. Nothing is checked for overflow.
std::string cpp_expression_functions();

/// An expression of type std::int64_t, in parentheses where it is not a single word.
/// @errors kInvalidArgument: it cannot be parsed, or has a name that is not in `names`.
Result<std::string> cpp_expression(const std::string& text, const CppNames& names);

/// The same of each. @errors as cpp_expression().
Result<std::vector<std::string>> cpp_expressions(const std::vector<std::string>& texts,
                                                 const CppNames& names);

/// "a, b".
std::string cpp_list(const std::vector<std::string>& texts);

/// The product of texts of type std::int64_t; of none it is one.
std::string cpp_product(const std::vector<std::string>& factors);

}  // namespace ws
