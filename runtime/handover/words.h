// Texts of clients inside generated files: as comments and string literals that they cannot end,
// and as names that no language reserves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ws {

/// One line of a comment: control characters become spaces, and a backslash, which would splice the
/// next line, becomes a slash. @param mark  "// " or "# ".
std::string comment_line(std::string_view mark, std::string_view text);

/// A string literal of C++, quotes included; control characters are octal.
std::string cpp_string(std::string_view text);

/// A string literal of Python, quotes included. @param text  UTF-8.
std::string python_string(std::string_view text);

/// The same for a text of many lines: a literal a line, in parentheses.
std::string python_text(std::string_view text);

/// A number that reads back as the same in C++ and Python; infinities and NaN do not occur.
std::string number_text(double value);

/// [a-z0-9_]+ that begins with a letter, from a kernel's name.
std::string module_name(std::string_view name);

}  // namespace ws
