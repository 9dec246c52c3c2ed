// Text as lines, the way editors count them: a newline at the end adds no empty line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

/// The lines without their newlines; none for an empty text.
std::vector<std::string> split_lines(std::string_view text);

/// Lines `from` to `to` (1-based, inclusive) with newlines between them and none at the end.
std::string join_lines(const std::vector<std::string>& lines, std::size_t from, std::size_t to);

/// All lines with newlines between them, and one at the end when `ends_line`.
std::string text_of(const std::vector<std::string>& lines, bool ends_line);

/// "  12 | text" for each line, for messages; at most 40 lines, the rest counted.
std::string numbered_lines(const std::vector<std::string>& lines, std::size_t from, std::size_t to);

}  // namespace ws
