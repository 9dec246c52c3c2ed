#include "runtime/lift/write/uniform_condition.h"

#include <map>

namespace ws::lift {
namespace {

using Made = std::map<TermId, ir::ExprId>;

/// @param made  Expressions of terms: one may be part of several others.
Result<ir::ExprId> written(Writing& on, TermId condition, Made& made) {
  if (const auto known = made.find(condition); known != made.end()) {
    return known->second;
  }
  WS_CHECK(on.input.time_budget.left());
  const Term& term = on.terms.at(condition);
  const bool joins = term.op == ir::Operator::kAnd || term.op == ir::Operator::kOr;
  if (term.kind != TermKind::kOperation || !(joins || negation_of(term.op))) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that is not known");
  }
  if (joins) {
    WS_TRY(const ir::ExprId left, written(on, term.args[0], made));
    WS_TRY(const ir::ExprId right, written(on, term.args[1], made));
    return made[condition] = on.tree.binary(*term.op.infix(), left, right);
  }
  const Term& left = on.terms.at(term.args[0]);
  const Term& right = on.terms.at(term.args[1]);
  if (left.kind != TermKind::kInteger || right.kind != TermKind::kInteger ||
      !left.poly.is_uniform() || !right.poly.is_uniform()) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that depends on data");
  }
  return made[condition] =
             on.tree.binary(*term.op.infix(), on.polys.of(left.poly), on.polys.of(right.poly));
}

}  // namespace

Result<ir::ExprId> uniform_condition(Writing& on, TermId condition) {
  Made made;
  WS_TRY(const ir::ExprId expr, written(on, condition, made));
  WS_CHECK(ir::TreeBuilder::check(expr));
  return expr;
}

}  // namespace ws::lift
