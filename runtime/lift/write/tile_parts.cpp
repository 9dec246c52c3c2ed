#include "runtime/lift/write/tile_parts.h"

#include <algorithm>

#include "runtime/ir/syntax/tree_queries.h"

namespace ws::lift {
namespace {

/// The index of each of an array's tiles, and what is left of an offset into the array.
struct ArrayPlace {
  std::vector<Poly> indices;
  Poly rest;
};

ArrayPlace place_in(const Object& array, const Poly& first) {
  std::int64_t size = array.dims.rbegin()[0] * array.dims.rbegin()[1];
  for (std::size_t i = array.dims.size() - 2; i > 0; --i) {
    size *= array.dims[i - 1];
  }
  ArrayPlace place{{}, first};
  for (std::size_t dim = 0; dim + 2 < array.dims.size(); ++dim) {
    size /= array.dims[dim];
    // The part that a step along this dimension divides is its index.
    Poly own;
    for (const auto& [monomial, lanes] : place.rest.terms()) {
      Poly part(lanes.front() / size);
      for (const SymbolId symbol : monomial) {
        part = part.times(Poly::of(symbol));
      }
      const bool divides = monomial.empty() || lanes.front() % size == 0;
      own = divides ? own.plus(part) : own;
    }
    place.rest = place.rest.plus(own, -size);
    place.indices.push_back(own);
  }
  return place;
}

}  // namespace

std::optional<ir::ExprId> TileParts::tile_index(const Spot& spot, const Tile& tile) {
  std::vector<ir::ExprId> indices;
  for (std::size_t dim = 0; dim < spot.first.size(); ++dim) {
    const std::int64_t size = dim == spot.row_dim ? tile.rows : dim == spot.col_dim ? tile.cols : 1;
    const std::optional<Poly> index = spot.first[dim].exact_quotient(size);
    if (!index) {
      return std::nullopt;
    }
    indices.push_back(polys_.of(*index));
  }
  return indices.size() == 1 ? indices[0] : tree_.tuple(std::move(indices));
}

TileExpr TileParts::oriented(ir::ExprId part, const std::vector<std::size_t>& kept,
                             const Spot& spot, const Tile& tile) {
  TileExpr made;
  made.rows = tile.rows;
  made.cols = tile.cols;
  made.number = kept.empty();
  made.expr = part;
  if (kept.size() == 1) {
    made.expr = kept[0] == spot.row_dim ? column_of(tree_, part) : row_of(tree_, part);
  } else if (kept.size() == 2 && kept[0] == spot.col_dim) {
    made.expr = tree_.attribute(part, "T");
  }
  return made;
}

std::vector<ir::ExprId> TileParts::subscripts(const Spot& spot, const Tile& tile,
                                              std::vector<std::size_t>& kept) {
  std::vector<ir::ExprId> made;
  for (std::size_t dim = 0; dim < spot.first.size(); ++dim) {
    const Poly& first = spot.first[dim];
    ir::ExprId from = polys_.of(first);
    const bool row = dim == spot.row_dim;
    if (!row && dim != spot.col_dim) {
      made.push_back(from);
      continue;
    }
    // The checker sees the size of x:x + 8, but not that two products of unknowns are equal.
    const bool product =
        ir::divides(tree_.program(), from) ||
        std::ranges::any_of(first.terms(), [](const auto& term) { return term.first.size() > 1; });
    if (product) {
      const ir::ExprId name = tree_.name(statements_.fresh_name("first"));
      statements_.assign(name, from, nullptr);
      from = name;
    }
    kept.push_back(dim);
    const ir::ExprId size = tree_.integer(row ? tile.rows : tile.cols);
    const ir::ExprId to = first == Poly(0) ? size : tree_.binary(ir::Operator::kAdd, from, size);
    made.push_back(tree_.slice(from, to));
  }
  return made;
}

ir::ExprId TileParts::part(ir::ExprId base, const Spot& spot, const Tile& tile,
                           std::vector<std::size_t>& kept) {
  return tree_.index(base, subscripts(spot, tile, kept));
}

std::optional<ir::ExprId> TileParts::array_part(const Object& array, const Poly& first,
                                                const Spot& spot, const Tile& tile,
                                                std::vector<std::size_t>& kept) {
  const ArrayPlace place = place_in(array, first);
  if (!(place.rest == Poly(0))) {
    return std::nullopt;
  }
  const std::int64_t rows = array.dims.rbegin()[1];
  const std::int64_t cols = array.dims.rbegin()[0];
  const bool all = spot.row_dim == 0 && spot.col_dim == 1 && tile.rows == rows && tile.cols == cols;
  const bool turned =
      spot.row_dim == 1 && spot.col_dim == 0 && tile.cols == rows && tile.rows == cols;
  std::vector<ir::ExprId> indices;
  indices.reserve(place.indices.size());
  for (const Poly& index : place.indices) {
    indices.push_back(polys_.of(index));
  }
  if (all || turned) {
    kept = {0, 1};
  } else {
    const std::vector<ir::ExprId> inner = subscripts(spot, tile, kept);
    indices.insert(indices.end(), inner.begin(), inner.end());
  }
  const ir::ExprId base = tree_.self(array.name);
  return indices.empty() ? base : tree_.index(base, indices);
}

}  // namespace ws::lift
