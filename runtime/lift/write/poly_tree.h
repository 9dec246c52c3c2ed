// Polynomials as expressions of a program.
#pragma once

#include <map>

#include "runtime/ir/syntax/tree_builder.h"
#include "runtime/lift/input.h"

namespace ws::lift {

/// The expressions say what Symbols::text_of() says as text.
class PolyTree {
 public:
  /// Both outlive this.
  PolyTree(ir::TreeBuilder& tree, const Symbols& symbols)
      : tree_(tree),
        symbols_(symbols) {}

  /// @param poly  The same for all threads.
  ir::ExprId of(const Poly& poly) { return sum(ir::kNoExpr, poly); }

  /// The terms of `poly` added to `left` one by one. @param left  kNoExpr: nothing is added to.
  ir::ExprId sum(ir::ExprId left, const Poly& poly);

 private:
  ir::ExprId product(const PolyPart& part, bool negated);
  ir::ExprId symbol(SymbolId id);

  ir::TreeBuilder& tree_;
  const Symbols& symbols_;
  std::map<SymbolId, ir::ExprId> known_;
};

}  // namespace ws::lift
