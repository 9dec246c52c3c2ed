// Assignments.
#include <array>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/interpreter.h"
#include "runtime/ir/exec/tile_ops.h"

namespace ws::ir {

// Reports call a buffer or a barrier by the name that the program gives it.
void Interpreter::give_name(const std::string& name, const Value& value) {
  if (value.kind == Kind::kBuffer && !value.view->buffer->named) {
    value.view->buffer->name = name;
    value.view->buffer->named = true;
  }
  if (value.kind == Kind::kRing) {
    give_name(name + ".full", value.items[0]);
    give_name(name + ".empty", value.items[1]);
  }
  if (value.kind == Kind::kBarrier && value.barrier->name.empty()) {
    const std::int64_t count = value.shape.empty() ? 1 : value.shape[0];
    for (std::int64_t i = 0; i < count; ++i) {
      value.barrier[i].name = count == 1 ? name : name + "[" + std::to_string(i) + "]";
    }
  }
}

Status Interpreter::assign(ExprId target, Value value) {
  const Expr& expr = program_.expr(target);
  if (expr.kind == ExprKind::kTuple) {
    for (std::size_t i = 0; i < expr.kids.size() && i < value.items.size(); ++i) {
      WS_CHECK(assign(expr.kids[i], value.items[i]));
    }
    return {};
  }
  if (expr.kind == ExprKind::kIndex) {
    return assign_part(expr, value);
  }
  give_name(expr.text, value);
  (expr.kind == ExprKind::kName ? locals_ : state_.self)[expr.text] = std::move(value);
  return {};
}

Status Interpreter::assign_part(const Expr& target, const Value& value) {
  WS_TRY(const Value base, eval(target.kids[0]));
  WS_TRY(const std::vector<Part> where, parts(target));
  place_ = target.place;
  if (base.kind != Kind::kBuffer) {
    return bad("a part of " + describe(type_of(base)) + " cannot be assigned to");
  }
  WS_TRY(const Value part, view_part(base, where));
  const Value elements = read(value);
  WS_TRY(const Shape shape, broadcast_shape(part.shape, type_of(elements).shape));
  if (shape != part.shape || value.kind == Kind::kNone) {
    return bad(describe(type_of(value)) + " does not fit into " + to_text(part.shape));
  }
  machine_.check_edge(actor_, *part.view, place_);
  machine_.write(actor_, *part.view, spread(elements, part.shape), place_);
  note_fragment(*part.view, elements);
  return {};
}

Status Interpreter::augment(const Stmt& stmt) {
  const Expr& target = program_.expr(stmt.targets.front());
  WS_TRY(const Value before, eval(stmt.targets.front()));
  WS_TRY(const Value value, eval(stmt.value));
  place_ = stmt.place;
  const ValueMode mode = machine_.grid().mode;
  const std::array<Value, 2> sides = {read(before), read(value)};
  WS_TRY(Value after, apply_binary(mode, stmt.op, sides[0], sides[1]));
  count_operator(stmt.op, sides[0], sides[1], after);
  after.made_at = machine_.tick();
  after.product = before.kind == Kind::kBuffer ? before.view->buffer->product : before.product;
  if (target.kind == ExprKind::kIndex) {
    return assign_part(target, after);
  }
  if (before.kind == Kind::kBuffer) {
    if (type_of(after).shape != before.shape) {
      return bad(describe(type_of(after)) + " does not fit into " + to_text(before.shape));
    }
    machine_.write(actor_, *before.view, spread(after, before.shape), place_);
    return {};
  }
  return assign(stmt.targets.front(), std::move(after));
}

}  // namespace ws::ir
