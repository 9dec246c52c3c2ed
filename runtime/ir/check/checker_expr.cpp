// Expressions but calls.
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/ir/check/checker_impl.h"

namespace ws::ir {

// A call of an own method may stand only where a worker can stop in the middle of it.
Type Checker::eval_statement(ExprId id) {
  const Expr& expr = program_.expr(id);
  const Method* method = own_method(expr);
  return method == nullptr ? eval(id) : call_method(*method, arguments(expr), expr);
}

Type Checker::eval(ExprId id) {
  if (id == kNoExpr) {
    return {};
  }
  Type type = eval_kind(program_.expr(id));
  if (types_ != nullptr) {
    (*types_)[id] = type;
  }
  return type;
}

Type Checker::eval_kind(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kInteger:
      return Type::integer(expr.integer);
    case ExprKind::kFloat:
      return Type::real();
    case ExprKind::kString:
      return Type::string(expr.text);
    case ExprKind::kBool:
      return Type::boolean(Affine(expr.integer));
    case ExprKind::kName:
      return name(expr);
    case ExprKind::kAttribute:
      return attribute(expr);
    case ExprKind::kIndex:
      return index(expr);
    case ExprKind::kCall:
      return call(expr);
    case ExprKind::kTuple: {
      std::vector<Type> items;
      for (const ExprId kid : expr.kids) {
        items.push_back(eval(kid));
      }
      return Type::tuple(std::move(items));
    }
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kCompare:
    case ExprKind::kLogic:
    case ExprKind::kIfElse:
      return operation(expr);
    case ExprKind::kSlice:
      return error(expr.place, "a slice stands in brackets after a buffer or a tile");
    case ExprKind::kNone:
      break;
  }
  return {};
}

Type Checker::name(const Expr& expr) {
  for (const Names* names : {&locals_, &globals_}) {
    const auto found = names->find(expr.text);
    if (found == names->end()) {
      continue;
    }
    if (is_broken(found->second) && !found->second.text.empty()) {
      return error(expr.place, "`" + expr.text + "` is " + found->second.text +
                                   ", depending on the path to this line");
    }
    return found->second;
  }
  std::vector<std::string> known;
  for (const Names* names : {&locals_, &globals_}) {
    std::transform(names->begin(), names->end(), std::back_inserter(known),
                   [](const auto& entry) { return entry.first; });
  }
  const bool on_self = self_.count(expr.text) > 0 || program_.find_method(expr.text) != nullptr;
  return error(expr.place,
               find_op(expr.text) ? "`" + expr.text + "` is an operation: it is called"
                                  : "unknown name `" + expr.text + "`",
               on_self ? "self." + expr.text + " is known" : suggest(expr.text, known));
}

Type Checker::attribute(const Expr& expr) {
  const Expr& base_expr = program_.expr(expr.kids[0]);
  if (base_expr.kind == ExprKind::kName && base_expr.text == "self") {
    const auto found = self_.find(expr.text);
    if (found != self_.end()) {
      return found->second;
    }
    if (program_.find_method(expr.text) != nullptr) {
      Type type;
      type.kind = Kind::kMethod;
      type.text = expr.text;
      return type;
    }
    std::vector<std::string> known;
    std::transform(self_.begin(), self_.end(), std::back_inserter(known),
                   [](const auto& entry) { return entry.first; });
    return error(expr.place, "self has no attribute `" + expr.text + "`",
                 suggest(expr.text, known));
  }
  const Type base = eval(expr.kids[0]);
  const std::size_t axis = std::string("xyz").find(expr.text);
  if (is_broken(base)) {
    return base;
  }
  if (base.kind == Kind::kTuple && expr.text.size() == 1 && axis < base.items.size()) {
    return base.items[axis];
  }
  if (base.is_tile() && expr.text == "shape") {
    std::vector<Type> sizes;
    std::transform(base.shape.begin(), base.shape.end(), std::back_inserter(sizes),
                   [](std::int64_t size) { return Type::integer(size); });
    return Type::tuple(std::move(sizes));
  }
  if (base.is_tile() && expr.text == "dtype") {
    Type type;
    type.kind = Kind::kDtype;
    type.dtype = base.dtype;
    return type;
  }
  if (base.is_tile() && expr.text == "T") {
    const Result<Type> result = infer_op(Op::kTranspose, std::vector<Type>{base});
    return result ? *result : error(expr.place, result.error());
  }
  return error(expr.place, describe(base) + " has no attribute `" + expr.text + "`",
               base.is_tile() ? "known: shape, dtype, T" : "");
}

Type Checker::operation(const Expr& expr) {
  std::vector<Type> kids;
  for (const ExprId kid : expr.kids) {
    kids.push_back(eval(kid));
  }
  if (std::any_of(kids.begin(), kids.end(), is_broken)) {
    return broken();
  }
  if (expr.kind == ExprKind::kIfElse) {
    const std::optional<std::int64_t> known = kids[1].constant();
    return known ? kids[*known != 0 ? 0 : 2] : join(kids[0], kids[2]);
  }
  if (expr.kind == ExprKind::kLogic) {
    for (const Type& kid : kids) {
      if (kid.is_tile()) {
        return error(expr.place,
                     "`" + std::string(info_of(expr.operators[0]).text) + "` takes numbers, got " +
                         describe(kid),
                     "`&` and `|` work element by element");
      }
      const bool decides = expr.operators[0] == Operator::kAnd ? kid.constant() == 0
                                                               : kid.constant().value_or(0) != 0;
      if (decides) {
        return Type::boolean(Affine(expr.operators[0] == Operator::kAnd ? 0 : 1));
      }
    }
    const bool all = std::all_of(kids.begin(), kids.end(),
                                 [](const Type& kid) { return kid.constant().has_value(); });
    return Type::boolean(all ? Affine(expr.operators[0] == Operator::kAnd ? 1 : 0)
                             : Affine::unknown());
  }
  Result<Type> result = expr.kind == ExprKind::kUnary
                            ? infer_unary(expr.operators[0], kids[0])
                            : infer_binary(expr.operators[0], kids[0], kids[1]);
  for (std::size_t i = 1; i < expr.operators.size() && result; ++i) {
    result = infer_binary(expr.operators[i], kids[i], kids[i + 1]);
  }
  return result ? *result : error(expr.place, result.error());
}

}  // namespace ws::ir
