// Operators of constants. They take the spelling of a kernel's tree, "div" and "rem" included.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ws::lift::tile {

/// Nothing: the operator has no such result, as a division by zero.
std::optional<double> fold_real(std::string_view op, double x, double y);

/// Nothing: the operator has no integer result, or one beyond 64 bits.
std::optional<std::int64_t> fold_integer(std::string_view op, std::int64_t x, std::int64_t y);

/// @param op  One of == != < <= > >=.
bool compare(std::string_view op, double x, double y);

}  // namespace ws::lift::tile
