// Sums, maxima and minima of many operands: products of matrices, reductions across threads, or
// just several terms.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/lift/write/named_values.h"
#include "runtime/lift/write/tile_source.h"

namespace ws::lift {

class TileSums : private WritingPart {
 public:
  /// All outlive this.
  TileSums(Writing& on, NamedValues& names, TileSource& source)
      : WritingPart(on),
        names_(names),
        source_(source) {}

  /// @param tile  Points that `op`, which is associative, makes of other values.
  /// @errors kUnsupported: the operands follow no rule, or are too many.
  Result<TileExpr> reduction(const Tile& tile, TermOp op);

 private:
  void drop_equal(std::vector<Ref>& operands);
  bool stand_for(const std::vector<Ref>& some, const std::vector<Ref>& others);
  std::pair<bool, bool> shared_along(const Tile& tile,
                                     const std::vector<std::vector<Ref>>& operands);
  Result<TileExpr> reduced_class(const Tile& tile, const std::vector<std::vector<Ref>>& operands,
                                 TermOp op);
  Result<std::optional<TileExpr>> product(const Tile& tile,
                                          const std::vector<std::vector<Ref>>& operands);
  Result<std::optional<TileExpr>> across(const Tile& tile,
                                         const std::vector<std::vector<Ref>>& operands, TermOp op);
  std::optional<Tile> ordered(const std::vector<Ref>& operands);
  void anchors(Ref ref, std::map<ObjectId, std::int64_t>& found, int& left);

  NamedValues& names_;
  TileSource& source_;
};

}  // namespace ws::lift
