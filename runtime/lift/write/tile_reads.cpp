#include "runtime/lift/write/tile_reads.h"

#include <algorithm>

namespace ws::lift {
namespace {

/// Whether an index may lie beyond its dimension altogether: a block's number and a loop's variable
/// are taken to end where the dimension does.
bool may_be_beyond(const Poly& index) {
  const auto& terms = index.terms();
  const bool alone =
      terms.size() == 1 && terms.begin()->first.size() == 1 && terms.begin()->second == Lanes{1};
  return !alone && index.number() != 0;
}

}  // namespace

bool only_cuts(const Spot& spot, std::size_t dim) {
  return dim == spot.row_dim || dim == spot.col_dim || !may_be_beyond(spot.first[dim]);
}

/// Where the points of a tile are read from; nothing when not by rows and columns.
Result<std::optional<std::pair<Spot, Tile>>> TileReads::load_spot(const Tile& tile,
                                                                  const TensorInput& tensor) {
  std::map<TermId, std::vector<Poly>> known;
  std::vector<std::vector<std::int64_t>> index(tensor.shape.size());
  Spot spot;
  for (const Ref& point : tile.points) {
    auto at = known.find(point.term);
    if (at == known.end()) {
      std::optional<std::vector<Poly>> made =
          tiles_.coordinates(tensor, terms_.at(point.term).poly);
      if (!made) {
        return std::optional<std::pair<Spot, Tile>>();
      }
      at = known.emplace(point.term, *std::move(made)).first;
      for (std::size_t dim = 0; dim < index.size(); ++dim) {
        const Poly symbolic = at->second[dim].symbolic();
        if (known.size() == 1) {
          spot.first.push_back(symbolic);
        }
        if (!symbolic.is_uniform() || !(symbolic == spot.first[dim])) {
          return std::optional<std::pair<Spot, Tile>>();
        }
      }
    }
    for (std::size_t dim = 0; dim < index.size(); ++dim) {
      index[dim].push_back(
          lane_of(at->second[dim].constant(), static_cast<std::size_t>(point.lane)));
    }
  }
  for (std::size_t dim = 0; dim < index.size(); ++dim) {
    const std::optional<Fit> fit = Tiles::fit(tile, index[dim]);
    const bool simple = fit && fit->group == 1 && fit->by_row >= 0 && fit->by_col >= 0 &&
                        fit->by_row + fit->by_col <= 1;
    const bool free = fit && (fit->by_row == 0 || spot.row_dim == Spot::kNoDim) &&
                      (fit->by_col == 0 || spot.col_dim == Spot::kNoDim);
    if (!simple || !free) {
      return std::optional<std::pair<Spot, Tile>>();
    }
    spot.first[dim] = spot.first[dim].plus(Poly(fit->first));
    spot.row_dim = fit->by_row != 0 ? dim : spot.row_dim;
    spot.col_dim = fit->by_col != 0 ? dim : spot.col_dim;
  }
  const bool all = (tile.rows == 1) == (spot.row_dim == Spot::kNoDim) &&
                   (tile.cols == 1) == (spot.col_dim == Spot::kNoDim);
  return all ? std::optional(std::pair(std::move(spot), tile))
             : std::optional<std::pair<Spot, Tile>>();
}

/// Whether all that keeps points from being read is the tensor's edge.
bool TileReads::is_cut(const Tile& tile, const TensorInput& tensor, const Spot& spot) const {
  std::set<TermId> seen;
  return std::all_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
    const Term& term = terms_.at(point.term);
    if (!seen.insert(point.term).second) {
      return true;
    }
    const auto index = tiles_.coordinates(tensor, term.poly);
    return std::all_of(term.masks.begin(), term.masks.end(), [&](TermId mask) {
      const auto dim = index ? tiles_.edge_of(mask, *index, tensor) : std::nullopt;
      return dim && only_cuts(spot, *dim);
    });
  });
}

Result<TileExpr> TileReads::load(const Tile& tile, Padding pad,
                                 const std::set<std::size_t>& edges) {
  const Object& source = object(terms_.at(tile.points[0].term).object);
  if (source.kind == ObjectKind::kShared) {
    return source.dims.empty() ? load_shared(tile, source) : load_array(tile, source);
  }
  const TensorInput& tensor = input_.tensors[source.tensor];
  const bool masked = std::any_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
    return !terms_.at(point.term).masks.empty();
  });
  const bool pads = pad != Padding::kUnpadded;
  WS_TRY(const auto spot, load_spot(tile, tensor));
  const bool aligned = spot && parts_.tile_index(spot->first, tile).has_value() &&
                       (!masked || is_cut(tile, tensor, spot->first)) &&
                       std::all_of(edges.begin(), edges.end(),
                                   [&](std::size_t dim) { return only_cuts(spot->first, dim); });
  if (spot && (aligned || (!masked && !pads))) {
    return load_tile(tile, spot->first, tensor, pad, masked || pads);
  }
  if (pads) {
    return fail(ErrorCode::kUnsupported, "a padded read that is no tile");
  }
  return gather(tile, tensor);
}

Result<TileExpr> TileReads::load_tile(const Tile& tile, const Spot& spot, const TensorInput& tensor,
                                      Padding pad, bool masked) {
  const ir::ExprId source = tree_.self(tensor.name);
  std::vector<std::size_t> kept;
  if (!masked) {
    const ir::ExprId part = parts_.part(source, spot, tile, kept);
    return parts_.oriented(part, kept, spot, tile);
  }
  std::vector<ir::ExprId> shape;
  for (std::size_t dim = 0; dim < spot.first.size(); ++dim) {
    const bool row = dim == spot.row_dim;
    const bool several = row || dim == spot.col_dim;
    shape.push_back(tree_.integer(row ? tile.rows : several ? tile.cols : 1));
    if (several) {
      kept.push_back(dim);
    }
  }
  const std::optional<ir::ExprId> index = parts_.tile_index(spot, tile);
  std::vector<ir::ExprId> args = {source, index ? *index : tree_.integer(0),
                                  tree_.tuple(std::move(shape))};
  if (pad == Padding::kOne || pad == Padding::kLowest) {
    args.push_back(tree_.string(pad == Padding::kOne ? "one" : "-inf"));
  }
  const ir::ExprId loaded = tree_.call(ir::Op::kLoad, args);
  const auto turned_if = [&](bool turned, ir::ExprId part) {
    return turned ? tree_.attribute(part, "T") : part;
  };
  if (spot.first.size() == 1) {
    TileExpr made = parts_.oriented(loaded, kept, spot, tile);
    made.expr = kept.empty() ? row_of(tree_, made.expr) : made.expr;
    made.number = false;
    return made;
  }
  TileExpr made;
  made.rows = tile.rows;
  made.cols = tile.cols;
  if (spot.first.size() == 2) {  // Its dimensions of one element stay.
    made.expr = turned_if(spot.row_dim == 1 || spot.col_dim == 0, loaded);
    return made;
  }
  const bool turned = kept.size() == 2 && kept[0] == spot.col_dim;
  const ir::ExprId sizes =
      turned ? shape_expr(tree_, tile.cols, tile.rows) : shape_expr(tree_, tile.rows, tile.cols);
  made.expr = turned_if(turned, tree_.call(ir::Op::kReshape, {loaded, sizes, tree_.string("row")}));
  return made;
}

Result<TileExpr> TileReads::gather(const Tile& tile, const TensorInput& tensor) {
  std::vector<const Poly*> offsets;
  std::vector<std::vector<TermId>> masks;
  for (const Ref& point : tile.points) {
    offsets.push_back(&terms_.at(point.term).poly);
    masks.push_back(terms_.at(point.term).masks);
  }
  WS_TRY(const TileExpr index, numbers_.integer(tile, offsets));
  TileExpr made;
  made.rows = tile.rows;
  made.cols = tile.cols;
  std::vector<ir::ExprId> args = {tree_.self(tensor.name), whole(index, tile.rows, tile.cols).expr};
  if (!masks[0].empty()) {
    WS_TRY(const TileExpr holds, all_hold(tree_, source_, tile, masks));
    args.push_back(whole(holds, tile.rows, tile.cols).expr);
  }
  made.expr = tree_.call(ir::Op::kGather, args);
  return made;
}

}  // namespace ws::lift
