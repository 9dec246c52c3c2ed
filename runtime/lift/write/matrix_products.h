// Products that warps compute by mma.sync or wmma, as products of tiles.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/write/tile_source.h"
#include "runtime/lift/write/writing.h"

namespace ws::lift {

class MatrixProducts : private WritingPart {
 public:
  /// Both outlive this.
  MatrixProducts(Writing& on, TileSource& source)
      : WritingPart(on),
        source_(source) {}

  /// @param tile  Points that are sums of such products.
  /// @errors kUnsupported: they are no rows of one tile by columns of another.
  Result<TileExpr> product(const Tile& tile);

 private:
  /// A row of a product's left operand, or a column of its right one: all threads of a warp that
  /// have it share its hash.
  struct OperandKey {
    TermId term = kNone;
    std::int32_t warp = 0;
    bool right = false;
    std::int64_t index = 0;

    friend auto operator<=>(const OperandKey&, const OperandKey&) = default;
  };

  Result<std::pair<Tile, Tile>> product_operands(const Tile& tile,
                                                 const std::vector<ProductChain>& chains,
                                                 std::size_t first, std::size_t end);
  std::uint64_t operand_hash(Ref product, bool right);
  Status check_rows_by_columns(const Tile& tile, const std::vector<ProductChain>& chains,
                               std::size_t first, std::size_t end);

  TileSource& source_;
  std::map<OperandKey, std::uint64_t> operand_hashes_;
};

}  // namespace ws::lift
