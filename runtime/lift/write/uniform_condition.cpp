#include "runtime/lift/write/uniform_condition.h"

namespace ws::lift {
Result<ir::ExprId> uniform_condition(Writing& on, TermId condition) {
  const Term& term = on.terms.at(condition);
  const bool joins = term.op == ir::Operator::kAnd || term.op == ir::Operator::kOr;
  if (term.kind != TermKind::kOperation || !(joins || negation_of(term.op))) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that is not known");
  }
  if (joins) {
    WS_TRY(const ir::ExprId left, uniform_condition(on, term.args[0]));
    WS_TRY(const ir::ExprId right, uniform_condition(on, term.args[1]));
    return on.tree.binary(*term.op.infix(), left, right);
  }
  const Term& left = on.terms.at(term.args[0]);
  const Term& right = on.terms.at(term.args[1]);
  if (left.kind != TermKind::kInteger || right.kind != TermKind::kInteger ||
      !left.poly.is_uniform() || !right.poly.is_uniform()) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that depends on data");
  }
  return on.tree.binary(*term.op.infix(), on.polys.of(left.poly), on.polys.of(right.poly));
}

}  // namespace ws::lift
