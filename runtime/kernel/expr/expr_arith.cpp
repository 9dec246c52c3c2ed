#include "runtime/kernel/expr/expr_arith.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

namespace ws {
namespace {

using Value = std::int64_t;
using Computed = std::optional<Value>;

constexpr Value kLowest = std::numeric_limits<Value>::min();
constexpr const char* kOverflow = "the result does not fit in 64 bits";
constexpr const char* kDivisionByZero = "division by zero";

Computed refuse(std::string& why, std::string text) {
  why = std::move(text);
  return std::nullopt;
}

Computed divide(Value a, Value b, std::string& why) {
  if (b == 0) {
    return refuse(why, kDivisionByZero);
  }
  if (a == kLowest && b == -1) {
    return refuse(why, kOverflow);
  }
  const Value quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Computed modulo(Value a, Value b, std::string& why) {
  if (b == 0) {
    return refuse(why, kDivisionByZero);
  }
  if (b == -1) {
    return 0;  // The hardware division traps on the lowest value.
  }
  const Value rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Computed multiply(Value a, Value b, std::string& why) {
  Value result = 0;
  return __builtin_mul_overflow(a, b, &result) ? refuse(why, kOverflow) : Computed(result);
}

Computed power(Value base, Value exponent, std::string& why) {
  if (exponent < 0) {
    return refuse(why, "negative exponent " + std::to_string(exponent));
  }
  if (base == 0 || base == 1) {
    return exponent == 0 ? 1 : base;
  }
  if (base == -1) {
    return exponent % 2 == 0 ? 1 : -1;
  }
  Computed result = 1;  // At most 63 rounds, as any other base overflows by then.
  for (Value i = 0; i < exponent && result; ++i) {
    result = multiply(*result, base, why);
  }
  return result;
}

}  // namespace

bool expr_compare(ExprOp op, Value a, Value b) {
  switch (op) {
    case ExprOp::kEqual:
      return a == b;
    case ExprOp::kNotEqual:
      return a != b;
    case ExprOp::kLess:
      return a < b;
    case ExprOp::kLessEqual:
      return a <= b;
    case ExprOp::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

std::optional<std::int64_t> expr_binary(ExprOp op, Value a, Value b, std::string& why) {
  Value result = 0;
  switch (op) {
    case ExprOp::kAdd:
      return __builtin_add_overflow(a, b, &result) ? refuse(why, kOverflow) : Computed(result);
    case ExprOp::kSubtract:
      return __builtin_sub_overflow(a, b, &result) ? refuse(why, kOverflow) : Computed(result);
    case ExprOp::kMultiply:
      return multiply(a, b, why);
    case ExprOp::kFloorDivide:
      return divide(a, b, why);
    case ExprOp::kModulo:
      return modulo(a, b, why);
    case ExprOp::kPower:
      return power(a, b, why);
    default:
      return expr_compare(op, a, b) ? 1 : 0;
  }
}

namespace {

using Arguments = std::span<const Value>;

Computed call_cdiv(Arguments a, std::string& why) {
  const Computed floor = divide(a[0], a[1], why);
  return floor ? Computed(*floor + (a[0] % a[1] != 0 ? 1 : 0)) : floor;
}

Computed call_min(Arguments a, std::string&) {
  return *std::min_element(a.begin(), a.end());
}

Computed call_max(Arguments a, std::string&) {
  return *std::max_element(a.begin(), a.end());
}

Computed call_abs(Arguments a, std::string& why) {
  return a[0] == kLowest ? refuse(why, kOverflow) : Computed(a[0] < 0 ? -a[0] : a[0]);
}

Computed call_log2(Arguments a, std::string& why) {
  if (a[0] < 1) {
    return refuse(why, "log2 of " + std::to_string(a[0]));
  }
  return std::bit_width(static_cast<std::uint64_t>(a[0])) - 1;
}

Computed call_gcd(Arguments a, std::string& why) {
  if (a[0] == kLowest || a[1] == kLowest) {
    return refuse(why, kOverflow);
  }
  return std::gcd(a[0], a[1]);
}

Computed call_lcm(Arguments a, std::string& why) {
  const Computed divisor = call_gcd(a, why);
  if (!divisor || *divisor == 0) {
    return divisor;
  }
  const Computed product = multiply(a[0] / *divisor, a[1], why);
  return product ? call_abs(std::array{*product}, why) : product;
}

Computed call_pow2ceil(Arguments a, std::string& why) {
  constexpr Value kLargest = Value{1} << 62U;
  if (a[0] > kLargest) {
    return refuse(why, kOverflow);
  }
  return a[0] <= 1 ? 1 : static_cast<Value>(std::bit_ceil(static_cast<std::uint64_t>(a[0])));
}

constexpr std::uint32_t kAnyCount = 64;

// The only list of functions; both arrays stand in the same order.
constexpr std::array<ExprFunction, 8> kFunctions = {{{"cdiv", 2, 2},
                                                     {"min", 1, kAnyCount},
                                                     {"max", 1, kAnyCount},
                                                     {"abs", 1, 1},
                                                     {"log2", 1, 1},
                                                     {"gcd", 2, 2},
                                                     {"lcm", 2, 2},
                                                     {"pow2ceil", 1, 1}}};
constexpr std::array<Computed (*)(Arguments, std::string&), 8> kBodies = {
    call_cdiv, call_min, call_max, call_abs, call_log2, call_gcd, call_lcm, call_pow2ceil};

}  // namespace

std::span<const ExprFunction> expr_functions() {
  return kFunctions;
}

std::optional<std::int64_t> expr_call(std::size_t function, std::span<const std::int64_t> arguments,
                                      std::string& why) {
  return kBodies.at(function)(arguments, why);
}

}  // namespace ws
