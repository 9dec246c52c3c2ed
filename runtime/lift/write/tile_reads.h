// Reads of tensors and of shared tiles.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lift/write/program_variables.h"
#include "runtime/lift/write/tile_source.h"

namespace ws::lift {

/// The number that a padded read has outside of its tensor.
enum class Padding : std::uint8_t { kUnpadded, kZero, kOne, kLowest };

/// Whether the edge of dimension `dim` can only cut a tile. One that has a single element there may
/// lie wholly outside, where a tile may not.
bool only_cuts(const Spot& spot, std::size_t dim);

class TileReads : private WritingPart {
 public:
  /// All outlive this.
  TileReads(Writing& on, ProgramVariables& variables, TileSource& source)
      : WritingPart(on),
        variables_(variables),
        source_(source) {}

  /// @param tile   Points of TermKind::kLoad, of one object.
  /// @param edges  The dimensions at whose edges the padding stands for a condition.
  /// @errors kUnsupported: no form of CuIR reads them, or not with this padding.
  Result<TileExpr> load(const Tile& tile, Padding pad, const std::set<std::size_t>& edges = {});

 private:
  using Places = std::array<std::vector<std::int64_t>, 2>;

  static Result<Spot> spot_of(const Tile& tile, const Places& places, const std::string& name);
  [[nodiscard]] bool is_cut(const Tile& tile, const TensorInput& tensor, const Spot& spot) const;
  Result<TileExpr> load_shared(const Tile& tile, const Object& source);
  Result<TileExpr> load_array(const Tile& tile, const Object& source);
  Result<TileExpr> load_tile(const Tile& tile, const Spot& spot, const TensorInput& tensor,
                             Padding pad, bool masked);
  Result<TileExpr> gather(const Tile& tile, const TensorInput& tensor);
  Result<std::optional<std::pair<Spot, Tile>>> load_spot(const Tile& tile,
                                                         const TensorInput& tensor);

  ProgramVariables& variables_;
  TileSource& source_;
};

}  // namespace ws::lift
