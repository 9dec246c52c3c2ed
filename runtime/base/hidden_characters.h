// Characters that a terminal does not show, but obeys: they steer it, or turn the text of a line
// around.
#pragma once

#include <cstddef>
#include <string_view>

namespace ws {

/// The bytes of the character that UTF-8 `text` begins with, if it is DEL, a control of C1, a
/// separator of lines, or one that changes the direction of text; else 0. Controls below a blank
/// are not looked for.
std::size_t hidden_bytes(std::string_view text);

}  // namespace ws
