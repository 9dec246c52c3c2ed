// Numbers and indices as CuIR: how they depend on the row and the column of a tile.
#pragma once

#include <optional>
#include <vector>

#include "runtime/lift/symbolic/tiles.h"
#include "runtime/lift/write/poly_tree.h"
#include "runtime/lift/write/tile_expr.h"

namespace ws::lift {

class TileNumbers {
 public:
  /// Both outlive this.
  TileNumbers(ir::TreeBuilder& tree, PolyTree& polys)
      : tree_(tree),
        polys_(polys) {}

  /// @param polys  One for each point of the tile.
  /// @param type   Of the numbers; as indices they have kI32.
  /// @errors kUnsupported: they follow neither row nor column.
  Result<TileExpr> integer(const Tile& tile, const std::vector<const Poly*>& polys,
                           DType type = DType::kI32);

  /// A number that is written as it is. @errors kUnsupported: it is not a number.
  Result<TileExpr> real(double value, DType type);

 private:
  /// An integer that depends on the place in a tile: first + the sum of the terms.
  struct Varying {
    std::vector<ir::ExprId> terms;  ///< None: it is the same everywhere.
    std::int64_t first = 0;
    bool by_row = false;
    bool by_col = false;
  };

  std::optional<Varying> varying(const Tile& tile, const std::vector<std::int64_t>& values,
                                 std::optional<DType> type);
  std::optional<Varying> by_bits(const Tile& tile, const std::vector<std::int64_t>& values,
                                 std::optional<DType> type);
  ir::ExprId rows(std::int64_t size, std::optional<DType> type);
  ir::ExprId cols(std::int64_t size, std::optional<DType> type);
  ir::ExprId typed(ir::ExprId count, std::optional<DType> type);
  ir::ExprId changed(ir::Operator op, ir::ExprId left, std::int64_t right, bool needed);
  ir::ExprId sum(ir::ExprId left, const std::vector<ir::ExprId>& terms);

  ir::TreeBuilder& tree_;
  PolyTree& polys_;
};

}  // namespace ws::lift
