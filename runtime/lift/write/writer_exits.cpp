// Blocks that end before the others.
#include "runtime/lift/write/writer.h"

namespace ws::lift {

/// A condition on integers that are the same for all threads of the block.
Result<std::string> Writer::uniform_condition(TermId condition) const {
  const Term& term = terms_.at(condition);
  const bool joins = term.op == ir::Operator::kAnd || term.op == ir::Operator::kOr;
  if (term.kind != TermKind::kOperation || !(joins || negation_of(term.op))) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that is not known");
  }
  if (joins) {
    WS_TRY(const std::string left, uniform_condition(term.args[0]));
    WS_TRY(const std::string right, uniform_condition(term.args[1]));
    return "(" + left + ") " + (term.op == ir::Operator::kAnd ? "and" : "or") + " (" + right + ")";
  }
  const Term& left = terms_.at(term.args[0]);
  const Term& right = terms_.at(term.args[1]);
  if (left.kind != TermKind::kInteger || right.kind != TermKind::kInteger ||
      !left.poly.is_uniform() || !right.poly.is_uniform()) {
    return fail(ErrorCode::kUnsupported, "a block ends by a condition that depends on data");
  }
  return symbols_.text_of(left.poly) + " " + std::string(term.op.text()) + " " +
         symbols_.text_of(right.poly);
}

Status Writer::leave(TermId condition, const Range& range) {
  WS_TRY(const std::string text, uniform_condition(condition));
  line("if " + text + ":", &range);
  ++indent_;
  line("return");
  --indent_;
  return {};
}

}  // namespace ws::lift
