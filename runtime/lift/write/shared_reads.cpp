// Reads of shared tiles, and of arrays of tiles.
#include "runtime/lift/write/tile_reads.h"

namespace ws::lift {
/// Where in a shared tile the points lie. @param places  Their rows, and their columns, in order.
Result<Spot> TileReads::spot_of(const Tile& tile, const Places& places, const std::string& name) {
  Spot spot;
  for (std::size_t dim = 0; dim < places.size(); ++dim) {
    const std::optional<Fit> fit = Tiles::fit(tile, places[dim]);
    if (!fit || fit->group != 1 || fit->by_row < 0 || fit->by_col < 0 ||
        fit->by_row + fit->by_col > 1) {
      return fail(ErrorCode::kUnsupported, "`" + name + "` is read neither by rows nor by columns");
    }
    spot.first.push_back(Poly(fit->first));
    spot.row_dim = fit->by_row != 0 ? dim : spot.row_dim;
    spot.col_dim = fit->by_col != 0 ? dim : spot.col_dim;
  }
  return spot;
}

Result<TileExpr> TileReads::load_shared(const Tile& tile, const Object& source) {
  const Term& first = terms_.at(tile.points[0].term);
  const std::optional<ProgramVariables::Size> size = variables_.shared_size(first.object);
  if (!size || source.version != first.version) {
    return fail(ErrorCode::kUnsupported, "`" + source.name + "` is used after it was overwritten");
  }
  Places places;
  for (const Ref& point : tile.points) {
    const Lanes at = terms_.at(point.term).poly.constant();
    const auto place = source.logical.find(lane_of(at, static_cast<std::size_t>(point.lane)));
    if (place == source.logical.end()) {
      return fail(ErrorCode::kUnsupported,
                  "`" + source.name + "` is read where nothing was written");
    }
    places[0].push_back(place->second.first);
    places[1].push_back(place->second.second);
  }
  WS_TRY(const Spot spot, spot_of(tile, places, source.name));
  const ir::ExprId name = variables_.name_of(first.object);
  const bool all = spot.row_dim == 0 && spot.col_dim == 1 && tile.rows == size->first &&
                   tile.cols == size->second;
  if (all) {
    return parts_.oriented(name, {0, 1}, spot, tile);
  }
  std::vector<std::size_t> kept;
  const ir::ExprId part = parts_.part(name, spot, tile, kept);
  return parts_.oriented(part, kept, spot, tile);
}

/// Elements of one tile of an array, by the order in which copies filled it.
Result<TileExpr> TileReads::load_array(const Tile& tile, const Object& source) {
  const std::int64_t size = source.dims.rbegin()[0] * source.dims.rbegin()[1];
  Places places;
  std::optional<Poly> first;
  for (const Ref& point : tile.points) {
    const Poly& poly = terms_.at(point.term).poly;
    const std::int64_t at = lane_of(poly.constant(), static_cast<std::size_t>(point.lane));
    const auto place = source.logical.find(at % size);
    const Poly begin = poly.symbolic().plus(Poly(at - at % size));
    if (at < 0 || place == source.logical.end() || !poly.symbolic().is_uniform() ||
        (first && !(*first == begin))) {
      return fail(ErrorCode::kUnsupported,
                  "`" + source.name + "` is read where no copy is known to have filled a tile");
    }
    first = begin;
    places[0].push_back(place->second.first);
    places[1].push_back(place->second.second);
  }
  WS_TRY(const Spot spot, spot_of(tile, places, source.name));
  std::vector<std::size_t> kept;
  const std::optional<ir::ExprId> part =
      parts_.array_part(source, first.value_or(Poly()), spot, tile, kept);
  if (!part) {
    return fail(ErrorCode::kUnsupported, "`" + source.name + "` is read across its tiles");
  }
  return parts_.oriented(*part, kept, spot, tile);
}

}  // namespace ws::lift
