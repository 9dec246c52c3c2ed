#include "runtime/lift/symbolic/tiles.h"

#include <algorithm>

namespace ws::lift {
namespace {

constexpr std::int64_t kMaxTile = std::int64_t{1} << 20U;

/// Where accesses lie in one dimension.
struct Extent {
  std::int64_t least = 0;
  std::int64_t count = 1;
};

/// Whether it becomes less as a symbol grows.
bool falls(const Poly& poly) {
  return std::any_of(poly.terms().begin(), poly.terms().end(), [](const auto& term) {
    return !term.first.empty() && std::any_of(term.second.begin(), term.second.end(),
                                              [](std::int64_t factor) { return factor < 0; });
  });
}

/// Below zero whatever the symbols are, which are none of them: -32 * step - 32 + {0, 1, ..., 31}.
bool is_below_zero(const Poly& poly) {
  const Lanes constant = poly.constant();
  return falls(poly) &&
         std::all_of(constant.begin(), constant.end(),
                     [](std::int64_t number) { return number < 0; }) &&
         std::all_of(poly.terms().begin(), poly.terms().end(), [](const auto& term) {
           return std::all_of(term.second.begin(), term.second.end(),
                              [](std::int64_t factor) { return factor <= 0; });
         });
}

/// Whether a product of two unknown numbers is in it.
bool has_products(const Poly& poly) {
  return std::any_of(poly.terms().begin(), poly.terms().end(),
                     [](const auto& term) { return term.first.size() > 1; });
}

Tile transposed(const Tile& tile) {
  Tile made{tile.cols, tile.rows, {}};
  for (std::int64_t col = 0; col < tile.cols; ++col) {
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      made.points.push_back(tile.points[tile.at(row, col)]);
    }
  }
  return made;
}

tl::unexpected<Error> not_a_tile(const TensorInput& tensor, const std::string& why) {
  return fail(ErrorCode::kUnsupported, "the threads' accesses to `" + tensor.name + "` " + why);
}

}  // namespace

std::optional<Fit> Tiles::fit(const Tile& tile, const std::vector<std::int64_t>& values) {
  for (const std::int64_t group : {1, 2, 4, 8, 16, 32}) {
    if (group > 1 && (tile.cols % group != 0 || tile.cols == group)) {
      continue;
    }
    Fit fit;
    fit.group = group;
    fit.first = values[0];
    fit.by_row = tile.rows > 1 ? values[tile.at(1, 0)] - values[0] : 0;
    fit.by_col = tile.cols > group ? values[tile.at(0, group)] - values[0] : 0;
    bool right = true;
    for (std::int64_t row = 0; row < tile.rows && right; ++row) {
      for (std::int64_t col = 0; col < tile.cols && right; ++col) {
        right =
            values[tile.at(row, col)] == fit.first + fit.by_row * row + fit.by_col * (col / group);
      }
    }
    if (right) {
      return fit;
    }
  }
  return std::nullopt;
}

std::optional<TensorInput> Tiles::as_rows(const TensorInput& tensor) {
  if (tensor.shape.size() <= 2) {
    return std::nullopt;
  }
  TensorInput rows = tensor;
  Poly count(1);
  for (std::size_t dim = 0; dim + 1 < tensor.shape.size(); ++dim) {
    count = count.times(tensor.shape[dim]);
  }
  rows.shape = {count, tensor.shape.back()};
  return rows;
}

std::optional<std::vector<Poly>> Tiles::coordinates(const TensorInput& tensor,
                                                    const Poly& offset) const {
  std::vector<Poly> result;
  Poly rest = offset;
  for (std::size_t dim = 0; dim + 1 < tensor.shape.size(); ++dim) {
    Poly stride(1);
    for (std::size_t inner = dim + 1; inner < tensor.shape.size(); ++inner) {
      stride = stride.times(tensor.shape[inner]);
    }
    if (stride.terms().size() != 1 || !stride.is_uniform()) {
      return std::nullopt;
    }
    const auto& [monomial, factor] = *stride.terms().begin();
    auto [upper, lower] = rest.split(monomial, factor.front());
    if (is_below_zero(lower)) {
      // Counted back from the end of a row: of that row, not of the next one.
      upper = upper.plus(Poly(-1));
      lower = lower.plus(stride);
    } else if (falls(lower)) {
      return std::nullopt;  // The row is not known.
    }
    if (dim > 0 && has_products(upper)) {
      return std::nullopt;  // Rows of several matrices, which are counted through.
    }
    result.push_back(std::move(upper));
    rest = std::move(lower);
  }
  result.push_back(std::move(rest));
  return result;
}

std::optional<std::size_t> Tiles::edge_of(TermId mask, const std::vector<Poly>& index,
                                          const TensorInput& tensor) const {
  const Term& term = terms_.at(mask);
  if (term.kind != TermKind::kOperation || term.args.size() != 2) {
    return std::nullopt;
  }
  const bool turned = is_turned(term.op);
  const Term& small = terms_.at(term.args[turned ? 1 : 0]);
  const Term& large = terms_.at(term.args[turned ? 0 : 1]);
  if (!is_ordering(term.op) || small.kind != TermKind::kInteger ||
      large.kind != TermKind::kInteger) {
    return std::nullopt;
  }
  for (std::size_t dim = 0; dim < index.size(); ++dim) {
    const Poly limit =
        holds_for_equal(term.op) ? tensor.shape[dim].plus(Poly(-1)) : tensor.shape[dim];
    if (small.poly == index[dim] && large.poly == limit) {
      return dim;
    }
  }
  return std::nullopt;
}

/// The index of each access in each dimension, but for the part that all have in common: `spot`.
Result<std::vector<std::vector<std::int64_t>>> Tiles::indices_of(
    const TensorInput& tensor, const std::vector<Ref>& refs,
    const std::vector<const Poly*>& offsets, Spot& spot) const {
  const std::size_t dims = tensor.shape.size();
  std::map<const Poly*, std::vector<Poly>> known;
  std::vector<std::vector<std::int64_t>> index(dims);
  for (std::size_t i = 0; i < refs.size(); ++i) {
    auto at = known.find(offsets[i]);
    if (at == known.end()) {
      std::optional<std::vector<Poly>> made = coordinates(tensor, *offsets[i]);
      if (!made) {
        return not_a_tile(tensor, "follow no dimension of it");
      }
      at = known.emplace(offsets[i], *std::move(made)).first;
      for (std::size_t dim = 0; dim < dims; ++dim) {
        const Poly symbolic = at->second[dim].symbolic();
        if (!symbolic.is_uniform() || (i > 0 && !(symbolic == spot.first[dim]))) {
          return not_a_tile(tensor, "are not side by side");
        }
        if (i == 0) {
          spot.first.push_back(symbolic);
        }
      }
    }
    for (std::size_t dim = 0; dim < dims; ++dim) {
      index[dim].push_back(
          lane_of(at->second[dim].constant(), static_cast<std::size_t>(refs[i].lane)));
    }
  }
  if (refs.empty()) {
    return not_a_tile(tensor, "are none");
  }
  return index;
}

Result<std::pair<Tile, Spot>> Tiles::tile_of(const TensorInput& tensor,
                                             const std::vector<Ref>& refs,
                                             const std::vector<const Poly*>& offsets) {
  Spot spot;
  WS_TRY(const auto index, indices_of(tensor, refs, offsets, spot));
  const std::size_t dims = tensor.shape.size();
  std::vector<Extent> extents;
  for (std::size_t dim = 0; dim < dims; ++dim) {
    const auto [least, most] = std::minmax_element(index[dim].begin(), index[dim].end());
    extents.push_back({*least, *most - *least + 1});
    spot.first[dim] = spot.first[dim].plus(Poly(*least));
    if (*most == *least) {
      continue;
    }
    const bool last = dim + 1 == dims;
    std::size_t& role = last || spot.row_dim != Spot::kNoDim ? spot.col_dim : spot.row_dim;
    if (role != Spot::kNoDim) {
      return not_a_tile(tensor, "spread over three dimensions");
    }
    role = dim;
  }
  Tile tile;
  tile.rows = spot.row_dim == Spot::kNoDim ? 1 : extents[spot.row_dim].count;
  tile.cols = spot.col_dim == Spot::kNoDim ? 1 : extents[spot.col_dim].count;
  if (tile.rows > kMaxTile || tile.cols > kMaxTile || tile.rows * tile.cols > kMaxTile ||
      static_cast<std::size_t>(tile.rows * tile.cols) > refs.size()) {
    return not_a_tile(tensor, "leave gaps");
  }
  tile.points.resize(static_cast<std::size_t>(tile.rows * tile.cols));
  const auto place = [&](std::size_t dim, std::size_t i) {
    return dim == Spot::kNoDim ? 0 : index[dim][i] - extents[dim].least;
  };
  for (std::size_t i = 0; i < refs.size(); ++i) {
    Ref& point = tile.points[tile.at(place(spot.row_dim, i), place(spot.col_dim, i))];
    if (point.term != kNone && terms_.value_hash(point) != terms_.value_hash(refs[i])) {
      return not_a_tile(tensor, "meet in one element");
    }
    if (point.term == kNone || !terms_.reads_as_much(point, refs[i])) {
      point = refs[i];
    }
  }
  const bool dense = std::all_of(tile.points.begin(), tile.points.end(),
                                 [](const Ref& point) { return point.term != kNone; });
  if (!dense) {
    return not_a_tile(tensor, "leave gaps");
  }
  return std::pair(std::move(tile), std::move(spot));
}

Result<std::pair<Tile, Spot>> Tiles::tile_of(const TensorInput& tensor, const StoreGroup& group) {
  std::vector<Ref> refs;
  std::vector<const Poly*> offsets;
  for (const StoreEvent& event : group.events) {
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      if (lane_of(event.active, lane) != 0) {
        refs.push_back({event.value, static_cast<std::int32_t>(lane)});
        offsets.push_back(&event.offset);
      }
    }
  }
  return tile_of(tensor, refs, offsets);
}

TermId copied_load(const Terms& terms, TermId value) {
  while (terms.at(value).kind == TermKind::kOperation) {
    const Term& term = terms.at(value);
    if (term.op != ir::Op::kWhere && term.op != ir::Op::kCast) {
      return kNone;
    }
    value = term.args[term.op == ir::Op::kWhere ? 1 : 0];
  }
  return terms.at(value).kind == TermKind::kLoad ? value : kNone;
}

Result<std::optional<Logical>> Tiles::logical_of(const StoreGroup& group,
                                                 const std::vector<Object>& objects, Tile& tile) {
  std::vector<Ref> refs;
  std::vector<const Poly*> offsets;
  std::vector<std::int64_t> addresses;
  ObjectId source = kNone;
  for (const StoreEvent& event : group.events) {
    const TermId load = copied_load(terms_, event.value);
    const Lanes at = event.offset.constant();
    if (load == kNone || (source != kNone && terms_.at(load).object != source)) {
      return std::optional<Logical>();
    }
    source = terms_.at(load).object;
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      if (lane_of(event.active, lane) != 0) {
        refs.push_back({event.value, static_cast<std::int32_t>(lane)});
        offsets.push_back(&terms_.at(load).poly);
        addresses.push_back(lane_of(at, lane));
      }
    }
  }
  if (refs.empty() || objects[static_cast<std::size_t>(source)].kind != ObjectKind::kTensor) {
    return std::optional<Logical>();
  }
  const Object& tensor = objects[static_cast<std::size_t>(source)];
  Result<std::pair<Tile, Spot>> made = tile_of(input_.tensors[tensor.tensor], refs, offsets);
  if (!made || made->first.points.size() != refs.size()) {
    return std::optional<Logical>();
  }
  tile = std::move(made->first);
  std::map<std::pair<TermId, std::int32_t>, std::int64_t> place;
  for (std::size_t i = 0; i < tile.points.size(); ++i) {
    place[{tile.points[i].term, tile.points[i].lane}] = static_cast<std::int64_t>(i);
  }
  Logical logical;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const std::int64_t at = place.at({refs[i].term, refs[i].lane});
    if (!logical.emplace(addresses[i], std::pair(at / tile.cols, at % tile.cols)).second) {
      return std::optional<Logical>();
    }
  }
  return std::optional(std::move(logical));
}

void Tiles::shrink(Tile& tile) {
  bool rows = tile.rows > 1;
  bool cols = tile.cols > 1;
  for (std::int64_t row = 0; row < tile.rows && (rows || cols); ++row) {
    for (std::int64_t col = 0; col < tile.cols && (rows || cols); ++col) {
      const std::uint64_t own = terms_.value_hash(tile.points[tile.at(row, col)]);
      rows = rows && own == terms_.value_hash(tile.points[tile.at(0, col)]);
      cols = cols && own == terms_.value_hash(tile.points[tile.at(row, 0)]);
    }
  }
  if (cols) {
    keep_one_column(tile);
  }
  if (rows) {
    tile = transposed(tile);
    keep_one_column(tile);
    tile = transposed(tile);
  }
}

/// Keeps one of equal columns: the first or the last, if its elements are read wherever those of
/// another column are. All of them stay otherwise.
void Tiles::keep_one_column(Tile& tile) {
  for (const std::int64_t kept : {std::int64_t{0}, tile.cols - 1}) {
    bool enough = true;
    for (std::int64_t row = 0; row < tile.rows && enough; ++row) {
      for (std::int64_t col = 0; col < tile.cols && enough; ++col) {
        enough =
            terms_.reads_as_much(tile.points[tile.at(row, kept)], tile.points[tile.at(row, col)]);
      }
    }
    if (enough) {
      Tile small{tile.rows, 1, {}};
      for (std::int64_t row = 0; row < tile.rows; ++row) {
        small.points.push_back(tile.points[tile.at(row, kept)]);
      }
      tile = std::move(small);
      return;
    }
  }
}

}  // namespace ws::lift
