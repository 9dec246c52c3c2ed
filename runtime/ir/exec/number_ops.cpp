#include "runtime/ir/exec/number_ops.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/tile_math.h"

namespace ws::ir {
namespace {

Result<Value> integer_binary(Operator op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  if ((op == Operator::kFloorDivide || op == Operator::kModulo) && (b == 0 || b == -1)) {
    overflow = b != 0 && a == INT64_MIN;
    if (b == 0) {
      return bad("division by zero");
    }
    return op == Operator::kModulo ? Value::of(0) : Value::of(overflow ? a : -a);
  }
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
      result = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
      break;
    case Operator::kModulo:
      result = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
      break;
    default: {
      const double value =
          operator_element(op, static_cast<double>(a), static_cast<double>(b), true);
      overflow = std::isnan(value) || std::fabs(value) >= 0x1p53;
      result = overflow ? 0 : static_cast<std::int64_t>(value);
    }
  }
  return overflow ? Result<Value>(bad("an integer beyond 64 bits")) : Value::of(result);
}

Value extreme(Op op, const Value& a, const Value& b) {
  const bool first =
      op == Op::kMax ? a.as_number() >= b.as_number() : a.as_number() <= b.as_number();
  return first ? a : b;
}

}  // namespace

Result<Value> number_binary(Operator op, const Value& a, const Value& b) {
  if (info_of(op).kind == OperatorKind::kCompare) {
    const bool whole = a.kind != Kind::kFloat && b.kind != Kind::kFloat;
    const double order = whole ? (a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0) : 0;
    return Value::truth((whole ? operator_element(op, order, 0, true)
                               : operator_element(op, a.as_number(), b.as_number(), false)) != 0);
  }
  if (a.kind == Kind::kFloat || b.kind == Kind::kFloat || op == Operator::kDivide) {
    return Value::real(operator_element(op, a.as_number(), b.as_number(), false));
  }
  return integer_binary(op, a.integer, b.integer);
}

Result<Value> number_op(const OpInfo& info, std::span<const Value> args, const Type& type) {
  const Value& x = args[0];
  switch (info.group) {
    case OpGroup::kMap:
      return type.kind == Kind::kInt
                 ? Value::of(x.integer == INT64_MIN ? INT64_MAX : std::abs(x.integer))
                 : Value::real(map_element(info.op, x.as_number()));
    case OpGroup::kZip:
      return info.op == Op::kPow
                 ? number_binary(Operator::kPower, x, args[1])
                 : extreme(info.op == Op::kMaximum ? Op::kMax : Op::kMin, x, args[1]);
    case OpGroup::kSelect:
      return x.as_number() != 0 ? args[1] : args[2];
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
      if (!(std::fabs(x.as_number()) < 0x1p63)) {
        return bad("an integer beyond 64 bits");
      }
      return x.kind == Kind::kFloat ? Value::of(static_cast<std::int64_t>(x.number))
                                    : Value::of(x.integer);
    default:  // kLength
      return Value::of(type.constant().value_or(0));
  }
}

}  // namespace ws::ir
