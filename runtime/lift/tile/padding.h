// The padding modes of cuTile.
#pragma once

#include <optional>
#include <string>

#include "runtime/lift/tile/value.h"

namespace ws::lift::tile {

/// `pad` of CuIR's load for a `ct.PaddingMode.ZERO`; null is no mode. Nothing: there is no such
/// mode.
std::optional<std::string> padding_word(const Value* mode);

/// The value that such a word stands for, as an expression.
std::string padding_value(const std::string& word);

}  // namespace ws::lift::tile
