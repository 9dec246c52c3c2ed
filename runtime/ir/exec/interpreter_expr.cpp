// Expressions but calls and brackets.
#include <algorithm>
#include <array>
#include <limits>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/interpreter.h"
#include "runtime/ir/exec/tile_ops.h"

namespace ws::ir {

Value value_of(const View& view) {
  Value value;
  value.kind = Kind::kBuffer;
  value.dtype = view.buffer->dtype;
  value.space = view.buffer->space;
  value.shape = shape_of(view);
  value.view = std::make_shared<const View>(view);
  return value;
}

Value Interpreter::read(const Value& value, bool gathers) {
  return value.kind == Kind::kBuffer ? machine_.read(actor_, *value.view, place_, gathers) : value;
}

Result<Value> Interpreter::eval(ExprId id) {
  if (id == kNoExpr) {
    return Value();
  }
  const Expr& expr = program_.expr(id);
  switch (expr.kind) {
    case ExprKind::kInteger:
      return Value::of(expr.integer);
    case ExprKind::kFloat:
      return Value::real(expr.number);
    case ExprKind::kBool:
      return Value::truth(expr.integer != 0);
    case ExprKind::kString:
      return Value::string(expr.text);
    case ExprKind::kName:
      return name(expr);
    case ExprKind::kAttribute:
      return attribute(expr);
    case ExprKind::kIndex:
      return index(expr);
    case ExprKind::kCall:
      return call(expr);
    case ExprKind::kTuple:
      return tuple(expr);
    case ExprKind::kIfElse: {
      WS_TRY(const Value condition, eval(expr.kids[1]));
      WS_TRY(const bool first, holds(condition));
      return eval(expr.kids[first ? 0 : 2]);
    }
    case ExprKind::kLogic:
      return logic(expr);
    case ExprKind::kCompare:
      return compare(expr);
    case ExprKind::kUnary:
    case ExprKind::kBinary:
      return operation(expr);
    case ExprKind::kSlice:
    case ExprKind::kNone:
      break;
  }
  return Value();
}

Result<Value> Interpreter::tuple(const Expr& expr) {
  Value value;
  value.kind = Kind::kTuple;
  for (const ExprId kid : expr.kids) {
    WS_TRY(Value item, eval(kid));
    value.items.push_back(std::move(item));
  }
  return value;
}

Result<Value> Interpreter::name(const Expr& expr) {
  for (const Names* names : {&std::as_const(locals_), &std::as_const(state_.globals)}) {
    const auto found = names->find(expr.text);
    if (found != names->end()) {
      return found->second;
    }
  }
  place_ = expr.place;
  return bad("`" + expr.text + "` has no value on this path", "give it one before the branch");
}

Result<Value> Interpreter::attribute(const Expr& expr) {
  const Expr& base_expr = program_.expr(expr.kids[0]);
  place_ = expr.place;
  if (base_expr.kind == ExprKind::kName && base_expr.text == "self") {
    const auto found = state_.self.find(expr.text);
    if (found != state_.self.end()) {
      return found->second;
    }
    Value value;
    value.kind = Kind::kMethod;
    value.text = expr.text;
    return value;
  }
  WS_TRY(const Value base, eval(expr.kids[0]));
  place_ = expr.place;
  const Type type = type_of(base);
  if (base.kind == Kind::kTuple) {
    return base.items.at(std::min(base.items.size() - 1, std::string("xyz").find(expr.text)));
  }
  if (!type.is_tile()) {
    return bad(describe(type) + " has no attribute `" + expr.text + "`");
  }
  if (expr.text == "shape") {
    Value value;
    value.kind = Kind::kTuple;
    std::transform(type.shape.begin(), type.shape.end(), std::back_inserter(value.items),
                   [](std::int64_t size) { return Value::of(size); });
    return value;
  }
  if (expr.text == "dtype") {
    Value value;
    value.kind = Kind::kDtype;
    value.dtype = type.dtype;
    return value;
  }
  if (base.kind == Kind::kBuffer && type.shape.size() > 1) {
    View view = *base.view;
    std::swap(view.axes[view.axes.size() - 1], view.axes[view.axes.size() - 2]);
    return value_of(view);
  }
  WS_TRY(Value value, apply_op(machine_.grid().mode, Op::kTranspose, std::vector<Value>{base}));
  value.made_at = base.made_at;
  return value;
}

Result<Value> Interpreter::operation(const Expr& expr) {
  WS_TRY(Value a, eval(expr.kids[0]));
  const ValueMode mode = machine_.grid().mode;
  if (expr.kind == ExprKind::kUnary) {
    place_ = expr.place;
    a = read(a);
    WS_TRY(Value value, apply_unary(mode, expr.operators[0], a));
    count_operator(expr.operators[0], a, Value(), value);
    value.made_at = machine_.tick();
    value.product = fragment_of({&a, 1}, value);
    return value;
  }
  WS_TRY(const Value b, eval(expr.kids[1]));
  place_ = expr.place;
  const std::array<Value, 2> given = {a, b};
  const bool product = expr.operators[0] == Operator::kMatmul;
  const OpInfo& mma = info_of(Op::kMma);
  const std::array<Value, 2> sides = {read(a, product && gathers(mma, given, 0)),
                                      read(b, product && gathers(mma, given, 1))};
  WS_TRY(Value value, apply_binary(mode, expr.operators[0], sides[0], sides[1]));
  count_operator(expr.operators[0], sides[0], sides[1], value);
  value.made_at = machine_.tick();
  if (!product) {
    value.product = fragment_of(sides, value);
  }
  return value;
}

Result<Value> Interpreter::compare(const Expr& expr) {
  WS_TRY(Value left, eval(expr.kids[0]));
  Value result;
  for (std::size_t i = 0; i < expr.operators.size(); ++i) {
    WS_TRY(Value right, eval(expr.kids[i + 1]));
    place_ = expr.place;
    right = read(right);
    left = read(left);
    WS_TRY(result, apply_binary(machine_.grid().mode, expr.operators[i], left, right));
    count_operator(expr.operators[i], left, right, result);
    if (i + 1 < expr.operators.size()) {
      WS_TRY(const bool goes_on, holds(result));
      if (!goes_on) {
        break;
      }
    }
    left = std::move(right);
  }
  return result;
}

Result<Value> Interpreter::logic(const Expr& expr) {
  const bool all = expr.operators[0] == Operator::kAnd;
  for (const ExprId kid : expr.kids) {
    WS_TRY(const Value value, eval(kid));
    place_ = expr.place;
    WS_TRY(const bool truth, holds(value));
    if (truth != all) {
      return Value::truth(!all);
    }
  }
  return Value::truth(all);
}

}  // namespace ws::ir
