#include "runtime/lift/write/poly_tree.h"

namespace ws::lift {

ir::ExprId PolyTree::symbol(SymbolId id) {
  const auto [entry, fresh] = known_.try_emplace(id, ir::kNoExpr);
  if (fresh) {
    entry->second = tree_.parsed(symbols_.text(id));
  }
  return entry->second;
}

/// @param negated  The first factor has a minus sign.
ir::ExprId PolyTree::product(const PolyPart& part, bool negated) {
  ir::ExprId made = ir::kNoExpr;
  const auto multiply = [&](ir::ExprId factor) {
    const bool first = made == ir::kNoExpr;
    factor = first && negated ? tree_.unary(ir::Operator::kNegate, factor) : factor;
    made = first ? factor : tree_.binary(ir::Operator::kMultiply, made, factor);
  };
  for (const SymbolId id : part.symbols) {
    multiply(symbol(id));
  }
  if (part.size != 1 || part.symbols.empty()) {
    // One that has no sign has no token either.
    const bool fits = part.size <= static_cast<std::uint64_t>(INT64_MAX);
    multiply(fits ? tree_.integer(static_cast<std::int64_t>(part.size))
                  : ir::TreeBuilder::kTooLarge);
  }
  return made;
}

ir::ExprId PolyTree::sum(ir::ExprId left, const Poly& poly) {
  bool first = true;
  for (const PolyPart& part : parts_of(poly)) {
    const ir::ExprId own = product(part, part.negative && first);
    const bool subtracts = part.negative && !first;
    left = left == ir::kNoExpr
               ? own
               : tree_.binary(subtracts ? ir::Operator::kSubtract : ir::Operator::kAdd, left, own);
    first = false;
  }
  return left == ir::kNoExpr ? tree_.integer(0) : left;
}

}  // namespace ws::lift
