// A text as a string of JSON.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// Whether a text stands for itself between quotes: all of it is printable ASCII, and none of it a
/// quote or a backslash.
bool is_plain_json(std::string_view text);

/// Appends `text` with quotes and escapes; bytes that are no UTF-8 are replaced. Text without an
/// escape, as nearly all is, is copied as it is. Any thread.
void append_json_string(std::string& out, std::string_view text);

/// The same for what people read in a terminal: characters have escapes, too, that it would obey
/// and not show (hidden_characters.h).
void append_shown_json_string(std::string& out, std::string_view text);

}  // namespace ws
