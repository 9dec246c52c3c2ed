#include "runtime/lift/lower/c_levels.h"

#include <algorithm>
#include <string_view>

#include "runtime/base/text.h"

namespace ws::lift {
namespace {

/// The level of a binary operator; an unknown one holds nothing together.
Level level_of_operator(std::string_view word) {
  return word == "||"                                ? Level::kOr
         : word == "&&"                              ? Level::kAnd
         : word == "+" || word == "-"                ? Level::kSum
         : word == "*" || word == "/" || word == "%" ? Level::kProduct
         : word == "<" || word == ">" || word == "<=" || word == ">=" || word == "==" ||
                 word == "!="
             ? Level::kCompare
             : Level::kSelect;
}

bool is_operator(char c) {
  return std::string_view("+-*/%&|^<>=!?:~,").find(c) != std::string_view::npos;
}

/// Whether the sign is that of an exponent, as in 1e-5f.
bool is_exponent(const std::string& text, std::size_t at) {
  return (text[at] == '+' || text[at] == '-') && at > 1 &&
         (text[at - 1] == 'e' || text[at - 1] == 'E') &&
         (is_digit(text[at - 2]) || text[at - 2] == '.');
}

}  // namespace

Level level_of(const std::string& text) {
  Level level = Level::kSimple;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
    if (depth != 0 || i == 0 || !is_operator(text[i]) || is_exponent(text, i)) {
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && is_operator(text[end]) && text[end] != '-') {
      ++end;
    }
    const bool sign = (text[i] == '-' || text[i] == '!') && text[i - 1] == ' ' &&
                      end < text.size() && text[end] != ' ';
    if (!sign) {
      level = std::min(level, level_of_operator(std::string_view(text).substr(i, end - i)));
    }
    i = end - 1;
  }
  return level;
}

std::string operand_text(const std::string& text, Level least) {
  const bool negative = (text.starts_with("-") || text.starts_with("!")) && least == Level::kSimple;
  return level_of(text) < least || negative ? "(" + text + ")" : text;
}

}  // namespace ws::lift
