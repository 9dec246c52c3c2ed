// Parts of tensors and of arrays in shared memory as CuIR.
#pragma once

#include <optional>
#include <vector>

#include "runtime/lift/symbolic/tiles.h"
#include "runtime/lift/write/poly_tree.h"
#include "runtime/lift/write/statements.h"
#include "runtime/lift/write/tile_expr.h"

namespace ws::lift {

class TileParts {
 public:
  /// All outlive this.
  TileParts(ir::TreeBuilder& tree, PolyTree& polys, Statements& statements)
      : tree_(tree),
        polys_(polys),
        statements_(statements) {}

  /// The index of a tile among those of its size: an integer, or a tuple of one for each dimension.
  /// Nothing: no tile begins at the spot.
  std::optional<ir::ExprId> tile_index(const Spot& spot, const Tile& tile);

  /// The indices in the brackets behind a tensor. A first index gets a name where the checker would
  /// not see the size of the part.
  /// @param kept  Gets the dimensions of several elements.
  std::vector<ir::ExprId> subscripts(const Spot& spot, const Tile& tile,
                                     std::vector<std::size_t>& kept);

  /// The part of `base` at the spot.
  ir::ExprId part(ir::ExprId base, const Spot& spot, const Tile& tile,
                  std::vector<std::size_t>& kept);

  /// A part of an array of tiles: of the tile that begins at `first`, what `spot` says. Nothing: no
  /// tile of it begins there.
  std::optional<ir::ExprId> array_part(const Object& array, const Poly& first, const Spot& spot,
                                       const Tile& tile, std::vector<std::size_t>& kept);

  /// A part as the tile that it is: its dimensions are those in `kept`.
  TileExpr oriented(ir::ExprId part, const std::vector<std::size_t>& kept, const Spot& spot,
                    const Tile& tile);

 private:
  ir::TreeBuilder& tree_;
  PolyTree& polys_;
  Statements& statements_;
};

}  // namespace ws::lift
