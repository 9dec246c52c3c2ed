// Checked 64-bit arithmetic of the expression language. Nothing is returned where there is no
// value, and `why` then says what went wrong: the caller knows the place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "runtime/kernel/expr/expr.h"

namespace ws {

bool expr_compare(ExprOp op, std::int64_t a, std::int64_t b);

/// An operator with two operands, comparisons (1 or 0) included.
std::optional<std::int64_t> expr_binary(ExprOp op, std::int64_t a, std::int64_t b,
                                        std::string& why);

/// Calls the function with this index in expr_functions(); the count was checked by the parser.
std::optional<std::int64_t> expr_call(std::size_t function, std::span<const std::int64_t> arguments,
                                      std::string& why);

}  // namespace ws
