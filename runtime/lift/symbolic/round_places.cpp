#include "runtime/lift/symbolic/round_places.h"

#include <utility>

namespace ws::lift {

Result<Poly> left_to_do(const Terms& terms, TermId condition) {
  const Term& term = terms.at(condition);
  const bool downward = is_turned(term.op);
  const bool upward = !downward && (is_ordering(term.op) || term.op == ir::Operator::kNotEqual);
  const bool compares = term.kind == TermKind::kOperation && (upward || downward) &&
                        terms.at(term.args[0]).kind == TermKind::kInteger &&
                        terms.at(term.args[1]).kind == TermKind::kInteger;
  if (!compares) {
    return fail(ErrorCode::kUnsupported, "a loop whose condition is no comparison of indices");
  }
  const Poly& left = terms.at(term.args[0]).poly;
  const Poly& right = terms.at(term.args[1]).poly;
  const Poly rest = upward ? right.plus(left, -1) : left.plus(right, -1);
  return holds_for_equal(term.op) ? rest.plus(Poly(1)) : rest;
}

std::optional<bool> RoundPlaces::taken(TermId condition) {
  const Term& term = terms_.at(condition);
  const bool compares = !places_.empty() && term.kind == TermKind::kOperation &&
                        negation_of(term.op) &&
                        terms_.at(term.args[0]).kind == TermKind::kInteger &&
                        terms_.at(term.args[1]).kind == TermKind::kInteger;
  if (!compares) {
    return std::nullopt;
  }
  const RoundPlace& here = places_.back();
  if (const Result<Poly> left = left_to_do(terms_, condition); left && *left == here.left) {
    asks_for_last_ = true;
    return !case_.last || reports_.is_trial();
  }
  // round == 0, round > 0 and so on.
  const Poly difference = terms_.at(term.args[0]).poly.plus(terms_.at(term.args[1]).poly, -1);
  const bool first = difference == here.round && term.op == ir::Operator::kEqual;
  const bool later = (difference == here.round &&
                      (term.op == ir::Operator::kGreater || term.op == ir::Operator::kNotEqual)) ||
                     (Poly(0).plus(difference, -1) == here.round && term.op == ir::Operator::kLess);
  if (here.round.is_constant() || (!first && !later)) {
    return std::nullopt;
  }
  asks_for_first_ = asks_for_first_ || !case_.peeled;
  return case_.peeled ? std::optional(first == case_.first) : std::nullopt;
}

bool RoundPlaces::set_asks_for_last(bool asks) {
  return std::exchange(asks_for_last_, asks);
}

}  // namespace ws::lift
