#include "runtime/lift/tile/folding.h"

#include <cmath>

namespace ws::lift::tile {

std::optional<double> fold_real(std::string_view op, double x, double y) {
  if (op == "+") {
    return x + y;
  }
  if (op == "-") {
    return x - y;
  }
  if (op == "*") {
    return x * y;
  }
  if (op == "/" && y != 0) {
    return x / y;
  }
  if (op == "//" && y != 0) {
    return std::floor(x / y);
  }
  if (op == "**") {
    return std::pow(x, y);
  }
  return std::nullopt;
}

std::optional<std::int64_t> fold_integer(std::string_view op, std::int64_t x, std::int64_t y) {
  std::int64_t result = 0;
  const bool divides = y != 0 && !(x == INT64_MIN && y == -1);
  const auto fits = [&](bool overflow) { return overflow ? std::nullopt : std::optional(result); };
  if (op == "+") {
    return fits(__builtin_add_overflow(x, y, &result));
  }
  if (op == "-") {
    return fits(__builtin_sub_overflow(x, y, &result));
  }
  if (op == "*") {
    return fits(__builtin_mul_overflow(x, y, &result));
  }
  if (op == "//" && divides) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
  }
  if (op == "%" && divides) {
    return x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);
  }
  if (op == "div" && divides) {
    return x / y;
  }
  if (op == "rem" && divides) {
    return x % y;
  }
  if (op == "&" || op == "|" || op == "^") {
    return op == "&" ? (x & y) : op == "|" ? (x | y) : (x ^ y);
  }
  constexpr std::int64_t kMostShift = 62;
  if ((op == "<<" || op == ">>") && y >= 0 && y <= kMostShift) {
    return op == ">>" ? x >> y : fits(__builtin_mul_overflow(x, std::int64_t{1} << y, &result));
  }
  if (op == "**" && y >= 0 && y <= kMostShift) {
    result = 1;
    for (std::int64_t i = 0; i < y; ++i) {
      if (__builtin_mul_overflow(result, x, &result)) {
        return std::nullopt;
      }
    }
    return result;
  }
  return std::nullopt;
}

bool compare(std::string_view op, double x, double y) {
  return op == "=="   ? x == y
         : op == "!=" ? x != y
         : op == "<"  ? x < y
         : op == "<=" ? x <= y
         : op == ">"  ? x > y
                      : x >= y;
}

}  // namespace ws::lift::tile
