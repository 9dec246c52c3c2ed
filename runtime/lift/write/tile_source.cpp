#include "runtime/lift/write/tile_source.h"

#include <algorithm>

namespace ws::lift {
TileExpr joined(ir::TreeBuilder& tree, TermOp op, const TileExpr& left, const TileExpr& right) {
  TileExpr made;
  const std::optional<ir::Operator> infix = op.infix();
  made.expr = infix ? tree.binary(*infix, left.expr, right.expr)
                    : tree.call(op.function(), {left.expr, right.expr});
  made.rows = std::max(left.rows, right.rows);
  made.cols = std::max(left.cols, right.cols);
  made.number = left.number && right.number;
  made.type = left.type;
  return made;
}

Result<TileExpr> all_hold(ir::TreeBuilder& tree, TileSource& source, const Tile& tile,
                          const std::vector<std::vector<TermId>>& masks) {
  TileExpr all;
  for (std::size_t i = 0; i < masks[0].size(); ++i) {
    Tile one{tile.rows, tile.cols, {}};
    for (std::size_t point = 0; point < tile.points.size(); ++point) {
      if (masks[point].size() != masks[0].size()) {
        return fail(ErrorCode::kUnsupported,
                    "elements of a tile that are written under different conditions");
      }
      one.points.push_back({masks[point][i], tile.points[point].lane});
    }
    WS_TRY(const TileExpr part, source.expression(std::move(one)));
    all = i == 0 ? part : joined(tree, ir::Operator::kBitAnd, all, part);
  }
  all.type = DType::kBool;
  return all;
}

}  // namespace ws::lift
