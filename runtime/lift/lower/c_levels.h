// Parentheses in expressions of C.
#pragma once

#include <cstdint>
#include <string>

namespace ws::lift {

/// How tightly a text holds together, by the operator of C that holds it together least.
enum class Level : std::uint8_t { kSelect, kOr, kAnd, kCompare, kSum, kProduct, kSimple };

/// @param text  A sign before an operand has a blank before itself and none behind.
Level level_of(const std::string& text);

/// As an operand that has to hold together at least so tightly.
std::string operand_text(const std::string& text, Level least);

}  // namespace ws::lift
