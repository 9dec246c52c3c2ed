// Blocks that end before the others.
#include "runtime/lift/write/writer.h"

namespace ws::lift {

/// A condition on integers that are the same for all threads of the block.
Result<ir::ExprId> Writer::uniform_condition(TermId condition) {
  const Term& term = terms_.at(condition);
  const bool joins = term.op == ir::Operator::kAnd || term.op == ir::Operator::kOr;
  if (term.kind != TermKind::kOperation || !(joins || negation_of(term.op))) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that is not known");
  }
  if (joins) {
    WS_TRY(const ir::ExprId left, uniform_condition(term.args[0]));
    WS_TRY(const ir::ExprId right, uniform_condition(term.args[1]));
    return tree_.binary(*term.op.infix(), left, right);
  }
  const Term& left = terms_.at(term.args[0]);
  const Term& right = terms_.at(term.args[1]);
  if (left.kind != TermKind::kInteger || right.kind != TermKind::kInteger ||
      !left.poly.is_uniform() || !right.poly.is_uniform()) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that depends on data");
  }
  return tree_.binary(*term.op.infix(), polys_.of(left.poly), polys_.of(right.poly));
}

Status Writer::leave(TermId condition, const Range& range) {
  WS_TRY(const ir::ExprId holds, uniform_condition(condition));
  return statements_.leave(holds, range);
}

}  // namespace ws::lift
