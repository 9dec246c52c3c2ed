// Characters as the forms, the expressions, CuIR and the protocol see them: ASCII words, UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ws {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A letter or _, in ASCII.
constexpr bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool is_word(char c) {
  return is_word_start(c) || is_digit(c);
}

/// Bytes of the UTF-8 character at text[at], at < text.size(); 0 when it is invalid, as overlong
/// forms, surrogates and values above U+10FFFF are (RFC 3629).
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Without the `blanks` that it begins and ends with.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// Text that came from a kernel, a compiler or the archive: control characters become spaces, and
/// what is longer than `limit` bytes is cut, which three dots show.
std::string quoted(const std::string& text, std::size_t limit = 400);

/// The most bytes, up to `limit`, that do not end inside a character.
std::size_t utf8_cut(std::string_view text, std::size_t limit);

}  // namespace ws
