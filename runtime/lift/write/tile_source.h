// The maker of expressions of tiles, by which the parts of the writer call each other.
#pragma once

#include <vector>

#include "runtime/lift/symbolic/tiles.h"
#include "runtime/lift/write/tile_expr.h"

namespace ws::lift {

class TileSource {
 public:
  virtual ~TileSource() = default;

  /// The tile as an expression: every element must be computed in the same way.
  /// @errors kUnsupported: they are not, or there is no such expression; kCancelled, kTimeout.
  virtual Result<TileExpr> expression(Tile tile) = 0;
};

/// `op` of two expressions, element by element.
TileExpr joined(ir::TreeBuilder& tree, TermOp op, const TileExpr& left, const TileExpr& right);

/// Whether all of each point's conditions hold. @param masks  By point; there is one at least.
/// @errors As TileSource::expression(); kUnsupported: the points have different numbers of them.
Result<TileExpr> all_hold(ir::TreeBuilder& tree, TileSource& source, const Tile& tile,
                          const std::vector<std::vector<TermId>>& masks);

}  // namespace ws::lift
