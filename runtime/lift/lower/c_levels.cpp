#include "runtime/lift/lower/c_levels.h"

#include <algorithm>

namespace ws::lift {
namespace {

/// The level of the operator that stands between blanks at `at`.
Level level_at(const std::string& text, std::size_t at) {
  const std::string word = text.substr(at + 1, text.find(' ', at + 1) - at - 1);
  return word == "?" || word == ":"                  ? Level::kSelect
         : word == "||"                              ? Level::kOr
         : word == "&&"                              ? Level::kAnd
         : word == "+" || word == "-"                ? Level::kSum
         : word == "*" || word == "/" || word == "%" ? Level::kProduct
         : word.find_first_of("<>=!") == 0           ? Level::kCompare
                                                     : Level::kSimple;
}

}  // namespace

Level level_of(const std::string& text) {
  Level level = Level::kSimple;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
    if (depth == 0 && text[i] == ' ') {
      level = std::min(level, level_at(text, i));
    }
  }
  return level;
}

std::string operand_text(const std::string& text, Level least) {
  const bool negative = text.starts_with("-") && least == Level::kSimple;
  return level_of(text) < least || negative ? "(" + text + ")" : text;
}

}  // namespace ws::lift
