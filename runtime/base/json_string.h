// A text as a string of JSON.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// Appends `text` with quotes and escapes, which characters have too that a terminal would obey
/// (hidden_characters.h); bytes that are no UTF-8 are replaced. Text without an escape, as nearly
/// all is, is copied as it is. Any thread.
void append_json_string(std::string& out, std::string_view text);

}  // namespace ws
