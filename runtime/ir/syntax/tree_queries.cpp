#include "runtime/ir/syntax/tree_queries.h"

#include <algorithm>
#include <set>
#include <vector>

namespace ws::ir {
namespace {

/// Whether `holds` for a node of an expression.
template <typename F>
bool any_node(const Program& program, ExprId root, F holds) {
  std::vector<ExprId> left = {root};
  std::set<ExprId> seen = {root, kNoExpr};
  while (!left.empty()) {
    const ExprId id = left.back();
    left.pop_back();
    if (holds(id)) {
      return true;
    }
    for (const ExprId kid : program.expr(id).kids) {
      if (seen.insert(kid).second) {
        left.push_back(kid);
      }
    }
  }
  return false;
}

}  // namespace

bool is_same(const Program& program, ExprId one, ExprId other) {
  if (one == other || one == kNoExpr || other == kNoExpr) {
    return one == other;
  }
  const Expr& a = program.expr(one);
  const Expr& b = program.expr(other);
  return a.kind == b.kind && a.depth == b.depth && a.integer == b.integer && a.text == b.text &&
         a.operators == b.operators && a.keywords == b.keywords &&
         std::equal(a.kids.begin(), a.kids.end(), b.kids.begin(), b.kids.end(),
                    [&](ExprId x, ExprId y) { return is_same(program, x, y); });
}

bool mentions(const Program& program, ExprId whole, ExprId part) {
  return any_node(program, whole, [&](ExprId id) { return is_same(program, id, part); });
}

bool divides(const Program& program, ExprId id) {
  return any_node(program, id, [&](ExprId part) {
    const Expr& expr = program.expr(part);
    return expr.kind == ExprKind::kBinary &&
           (expr.operators[0] == Operator::kDivide || expr.operators[0] == Operator::kFloorDivide ||
            expr.operators[0] == Operator::kModulo);
  });
}

std::optional<Op> called_op(const Program& program, ExprId id) {
  const Expr& expr = program.expr(id);
  if (expr.kind != ExprKind::kCall || program.expr(expr.kids[0]).kind != ExprKind::kName) {
    return std::nullopt;
  }
  return find_op(program.expr(expr.kids[0]).text);
}

}  // namespace ws::ir
