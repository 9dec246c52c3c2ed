#include "runtime/ir/exec/number_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/tile_math.h"

namespace ws::ir {
namespace {

// By squares; the last one is not needed.
bool power_overflows(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  bool overflow = false;
  result = 1;
  for (; exponent > 0 && !overflow; exponent /= 2) {
    overflow = exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result);
    overflow = overflow || (exponent > 1 && __builtin_mul_overflow(base, base, &base));
  }
  return overflow;
}

/// Machines wrap such a number around; here it is one that the executor cannot hold.
tl::unexpected<Error> beyond_64_bits() {
  return fail(ErrorCode::kUnsupported, "an integer beyond 64 bits",
              "the executor's numbers do not wrap around: keep them within 64 bits, or compute "
              "with tiles, whose integers do");
}

bool shift_overflows(std::int64_t a, std::int64_t count, std::int64_t& result) {
  constexpr std::int64_t most = 62;
  return a != 0 && (count > most || __builtin_mul_overflow(a, std::int64_t{1} << count, &result));
}

// Refuses what an operator does not take, whatever the other operand is.
Status check_right(Operator op, std::int64_t b) {
  if ((op == Operator::kFloorDivide || op == Operator::kModulo || op == Operator::kDivide) &&
      b == 0) {
    return bad("division by zero");
  }
  if ((op == Operator::kShiftLeft || op == Operator::kShiftRight) && b < 0) {
    return bad("a shift by " + std::to_string(b));
  }
  return op == Operator::kPower && b < 0
             ? Status(bad("an integer to the power " + std::to_string(b), "float(x) ** y"))
             : Status();
}

Result<Value> integer_binary(Operator op, std::int64_t a, std::int64_t b) {
  WS_CHECK(check_right(op, b));
  constexpr std::int64_t bits = 63;
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Operator::kAdd:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Operator::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Operator::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Operator::kFloorDivide:
      overflow = a == INT64_MIN && b == -1;
      result = overflow ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
      break;
    case Operator::kModulo:  // The remainder of INT64_MIN by -1 traps, though it is 0.
      result = b == -1 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
      break;
    case Operator::kPower:
      overflow = power_overflows(a, b, result);
      break;
    case Operator::kShiftLeft:
      overflow = shift_overflows(a, b, result);
      break;
    case Operator::kShiftRight:
      result = a >> std::min(b, bits);
      break;
    case Operator::kBitAnd:
      result = a & b;
      break;
    case Operator::kBitOr:
      result = a | b;
      break;
    default:  // kBitXor
      result = a ^ b;
  }
  return overflow ? Result<Value>(beyond_64_bits()) : Value::of(result);
}

bool are_determined(std::span<const Value> values) {
  return std::all_of(values.begin(), values.end(),
                     [](const Value& value) { return value.is_determined(); });
}

Result<Value> integer_truncated(Op op, std::int64_t a, std::int64_t b) {
  WS_CHECK(check_right(Operator::kFloorDivide, b));
  if (b == -1) {  // The quotient of INT64_MIN traps, and so does its remainder.
    return op == Op::kRemTrunc ? Value::of(0) : integer_binary(Operator::kSubtract, 0, a);
  }
  return Value::of(op == Op::kRemTrunc ? a % b : a / b);
}

Value extreme(Op op, const Value& a, const Value& b) {
  const bool first =
      op == Op::kMax ? a.as_number() >= b.as_number() : a.as_number() <= b.as_number();
  return first ? a : b;
}

}  // namespace

Result<Value> number_binary(Operator op, const Value& a, const Value& b) {
  const bool compares = info_of(op).kind == OperatorKind::kCompare;
  const bool whole = a.kind != Kind::kFloat && b.kind != Kind::kFloat;
  if (!a.is_determined() || !b.is_determined()) {
    const bool real = !whole || op == Operator::kDivide;
    return Value::undetermined_of(compares ? Kind::kBool
                                  : real   ? Kind::kFloat
                                           : Kind::kInt,
                                  undetermined_by(a.as_number(), b.as_number()));
  }
  if (compares) {
    const double order = a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
    return Value::truth(operator_element(op, whole ? order : a.as_number(),
                                         whole ? 0 : b.as_number(), DType::kBool) != 0);
  }
  if (whole && op == Operator::kDivide) {
    WS_CHECK(check_right(op, b.integer));
  }
  if (!whole || op == Operator::kDivide) {
    return Value::real(operator_element(op, a.as_number(), b.as_number(), DType::kF64));
  }
  return integer_binary(op, a.integer, b.integer);
}

Result<Value> number_unary(Operator op, const Value& a) {
  if (!a.is_determined()) {
    return Value::undetermined_of(op == Operator::kNot     ? Kind::kBool
                                  : a.kind == Kind::kFloat ? Kind::kFloat
                                                           : Kind::kInt,
                                  a.as_number());
  }
  switch (op) {
    case Operator::kNot:
      return Value::truth(a.as_number() == 0);
    case Operator::kInvert:
      return Value::of(~a.integer);
    case Operator::kPlus:
      return a;
    default:  // kNegate
      return a.kind == Kind::kFloat ? Value::real(-a.number)
                                    : integer_binary(Operator::kSubtract, 0, a.integer);
  }
}

double random_word(std::span<const Value> args, std::span<const double> counter) {
  constexpr std::int64_t kUsualRounds = 10;
  const Value& rounds = args[6];
  return random_element(counter, args[0].integer, args[5].integer,
                        rounds.kind == Kind::kNone ? kUsualRounds : rounds.integer);
}

Result<Value> number_op(const OpInfo& info, std::span<const Value> args, const Type& type) {
  if (info.group == OpGroup::kUndetermined) {
    return Value::undetermined_of(Kind::kFloat);
  }
  const Value& x = args[0];
  if (!are_determined(info.group == OpGroup::kSelect ? args.first(1) : args)) {
    const bool large = std::ranges::any_of(args, [](const Value& value) {
      return !value.is_determined() && is_too_large(value.number);
    });
    return Value::undetermined_of(type.kind, large ? too_large() : undetermined());
  }
  switch (info.group) {
    case OpGroup::kMap:
      return type.kind == Kind::kInt
                 ? (x.integer < 0 ? integer_binary(Operator::kSubtract, 0, x.integer) : x)
                 : Value::real(map_element(info.op, x.as_number()));
    case OpGroup::kZip:
      if (info.op == Op::kDivTrunc || info.op == Op::kRemTrunc) {
        return integer_truncated(info.op, x.integer, args[1].integer);
      }
      return info.op == Op::kPow
                 ? number_binary(Operator::kPower, x, args[1])
                 : extreme(info.op == Op::kMaximum ? Op::kMax : Op::kMin, x, args[1]);
    case OpGroup::kSelect:
      return x.as_number() != 0 ? args[1] : args[2];
    case OpGroup::kRandom: {
      const std::array<double, 4> counter{args[1].as_number(), args[2].as_number(),
                                          args[3].as_number(), args[4].as_number()};
      return Value::of(static_cast<std::int64_t>(random_word(args, counter)));
    }
    case OpGroup::kReduce:
      return extreme(info.op, x, args[1]);
    case OpGroup::kScalar: {
      WS_TRY(const Value minus, integer_binary(Operator::kSubtract, 0, x.integer));
      WS_TRY(const Value down,
             integer_binary(Operator::kFloorDivide, minus.integer, args[1].integer));
      return integer_binary(Operator::kSubtract, 0, down.integer);
    }
    case OpGroup::kToFloat:
      return Value::real(
          x.kind == Kind::kString
              ? std::copysign(std::numeric_limits<double>::infinity(), x.text == "inf" ? 1.0 : -1.0)
              : x.as_number());
    case OpGroup::kToInt:
      if (x.kind == Kind::kFloat && !(std::fabs(x.number) < 0x1p63)) {
        return beyond_64_bits();
      }
      return Value::of(x.kind == Kind::kFloat ? static_cast<std::int64_t>(x.number) : x.integer);
    default:  // kLength
      return Value::of(type.constant().value_or(0));
  }
}

}  // namespace ws::ir
