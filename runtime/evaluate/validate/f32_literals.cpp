#include "runtime/evaluate/validate/f32_literals.h"

#include <algorithm>
#include <cctype>

namespace ws {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The end of a text or character that begins at `at`.
std::size_t end_of_quoted(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (++at; at < source.size() && source[at] != quote; ++at) {
    at += source[at] == '\\' ? 1U : 0U;
  }
  return std::min(at + 1, source.size());
}

/// The end of a number or word that begins at `at`: a sign belongs to it behind an exponent's
/// letter, and a quote between its digits.
std::size_t end_of_word(std::string_view source, std::size_t at, bool number) {
  const bool hex = source.substr(at, 2) == "0x" || source.substr(at, 2) == "0X";
  const std::string_view exponents = hex ? "pP" : "eE";
  for (; at < source.size(); ++at) {
    const char c = source[at];
    const bool sign = number && (c == '+' || c == '-') &&
                      exponents.find(source[at - 1]) != std::string_view::npos;
    const bool inside =
        number && (c == '.' || (c == '\'' && at + 1 < source.size() && is_word(source[at + 1])));
    if (!is_word(c) && !sign && !inside) {
      break;
    }
  }
  return at;
}

bool is_plain_floating(std::string_view number) {
  const bool hex = number.starts_with("0x") || number.starts_with("0X");
  const bool floating = number.find_first_of(hex ? "pP" : ".eE") != std::string_view::npos;
  return floating && (is_digit(number.back()) || number.back() == '.');
}

}  // namespace

std::string with_f32_literals(std::string_view source) {
  std::string text;
  for (std::size_t at = 0; at < source.size();) {
    const std::string_view rest = source.substr(at);
    const bool number =
        is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]));
    std::size_t end = at + 1;
    if (rest.starts_with("//")) {
      end = std::min(source.find('\n', at), source.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t close = source.find("*/", at + 2);
      end = close == std::string_view::npos ? source.size() : close + 2;
    } else if (rest[0] == '"' || rest[0] == '\'') {
      end = end_of_quoted(source, at);
    } else if (number || is_word(rest[0])) {
      end = end_of_word(source, at, number);
    }
    const std::string_view piece = source.substr(at, end - at);
    text += piece;
    text += number && is_plain_floating(piece) ? "f" : "";
    at = end;
  }
  return text;
}

}  // namespace ws
