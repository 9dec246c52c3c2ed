// A text as a string of JSON.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// Appends `text` with quotes and escapes; bytes that are no UTF-8 are replaced. Text without an
/// escape, as nearly all is, is copied as it is. Any thread.
void append_json_string(std::string& out, std::string_view text);

/// The same for what people read in a terminal: characters have escapes, too, that it would obey
/// and not show (hidden_characters.h).
void append_shown_json_string(std::string& out, std::string_view text);

}  // namespace ws
