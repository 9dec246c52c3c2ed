// Sums that are taken across the threads of a row, of a column, or of the block.
#include <algorithm>
#include <functional>

#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/write/tile_sums.h"

namespace ws::lift {
namespace {

/// Terms that are looked at below one operand.
constexpr int kMaxAnchorWalk = 1000;

/// The function that takes an associative operation along a dimension, and the name of its result.
struct Reducing {
  ir::Op function;
  const char* result;
};

Reducing reducing(TermOp op) {
  return op == ir::Operator::kAdd ? Reducing{ir::Op::kSum, "total"}
         : op == ir::Op::kMaximum ? Reducing{ir::Op::kMax, "most"}
                                  : Reducing{ir::Op::kMin, "least"};
}

}  // namespace

/// Whether each of some values is among others that are read wherever it is.
bool TileSums::stand_for(const std::vector<Ref>& some, const std::vector<Ref>& others) {
  std::map<std::uint64_t, Ref> known;
  for (const Ref& one : some) {
    known.emplace(terms_.value_hash(one), one);
  }
  return std::ranges::all_of(others, [&](const Ref& other) {
    const auto found = known.find(terms_.value_hash(other));
    return found != known.end() && terms_.reads_as_much(found->second, other);
  });
}

/// The first element of each object below a value: loads of it, or the variable's own place.
void TileSums::anchors(Ref ref, std::map<ObjectId, std::int64_t>& found, int& left) {
  ref = terms_.resolve(ref);
  if (ref.term == kNone || left-- <= 0) {
    return;
  }
  const Term& term = terms_.at(ref.term);
  const auto lane = static_cast<std::size_t>(ref.lane);
  if (term.kind == TermKind::kLoad) {
    found.emplace(term.object, lane_of(term.poly.constant(), lane));
  } else if (term.kind == TermKind::kCarried) {
    if (const auto layout = layouts_.find(term.object); layout != layouts_.end()) {
      found.emplace(term.object, layout->second.places[static_cast<std::size_t>(term.slot)][lane]);
    }
  }
  if (is_matrix_product(term)) {  // Its own registers say nothing of its row and column.
    anchors(left_element(terms_, ref, 0), found, left);
    anchors(right_element(terms_, ref, 0), found, left);
    return;
  }
  for (const TermId arg : term.args) {
    anchors({arg, ref.lane}, found, left);
  }
}

/// Operands side by side, in the order of the elements that they are made of: of an object that
/// each has another element of.
std::optional<Tile> TileSums::ordered(const std::vector<Ref>& operands) {
  std::map<ObjectId, std::map<std::int64_t, Ref>> by_place;
  for (const Ref& operand : operands) {
    std::map<ObjectId, std::int64_t> found;
    int left = kMaxAnchorWalk;
    anchors(operand, found, left);
    for (const auto& [object, place] : found) {
      by_place[object].emplace(place, operand);
    }
  }
  for (const auto& [object, places] : by_place) {
    if (places.size() == operands.size()) {
      Tile tile{1, static_cast<std::int64_t>(operands.size()), {}};
      for (const auto& [place, operand] : places) {
        tile.points.push_back(operand);
      }
      return tile;
    }
  }
  return std::nullopt;
}

/// Whether all points of each row have the same operands, and whether all of each column do: those
/// of the first one stand for the others.
std::pair<bool, bool> TileSums::shared_along(const Tile& tile,
                                             const std::vector<std::vector<Ref>>& operands) {
  std::vector<std::uint64_t> sets;
  std::vector<std::uint64_t> masks;  // The same where all is read under the same conditions.
  for (const auto& list : operands) {
    std::uint64_t sum = 0;
    std::uint64_t mask = 0;
    for (const Ref& operand : list) {
      sum += terms_.value_hash(operand) * 0x9e3779b97f4a7c15ULL;
      mask += terms_.mask_hash(operand) * (2 * terms_.value_hash(operand) + 1);
    }
    sets.push_back(sum);
    masks.push_back(mask);
  }
  bool rows = true;
  bool cols = true;
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    for (std::int64_t col = 0; col < tile.cols; ++col) {
      const std::size_t at = tile.at(row, col);
      const auto same = [&](std::size_t first) {
        return sets[at] == sets[first] &&
               (masks[at] == masks[first] || stand_for(operands[first], operands[at]));
      };
      rows = rows && same(tile.at(row, 0));
      cols = cols && same(tile.at(0, col));
    }
  }
  return {rows, cols};
}

/// The same operands in all points of a row, of a column, or of the tile: a reduction.
Result<std::optional<TileExpr>> TileSums::across(const Tile& tile,
                                                 const std::vector<std::vector<Ref>>& operands,
                                                 TermOp op) {
  const auto [rows, cols] = shared_along(tile, operands);
  if (!rows && !cols) {
    return std::optional<TileExpr>();
  }
  const std::int64_t groups = rows && cols ? 1 : rows ? tile.rows : tile.cols;
  const auto count = static_cast<std::int64_t>(operands[0].size());
  Tile inner{groups, count, {}};
  for (std::int64_t group = 0; group < groups; ++group) {
    WS_CHECK(input_.time_budget.left());
    const std::optional<Tile> line_of =
        ordered(operands[rows ? tile.at(group, 0) : tile.at(0, group)]);
    if (!line_of) {
      return std::optional<TileExpr>();
    }
    inner.points.insert(inner.points.end(), line_of->points.begin(), line_of->points.end());
  }
  const Reducing made_by = reducing(op);
  const std::string name(ir::info_of(made_by.function).name);
  // All of a variable that is itself a tile: along both of its dimensions.
  const Ref first = terms_.resolve(inner.points[0]);
  const auto layout = terms_.at(first.term).kind == TermKind::kCarried
                          ? layouts_.find(terms_.at(first.term).object)
                          : layouts_.end();
  const bool both = groups == 1 && layout != layouts_.end() && layout->second.rows > 1 &&
                    layout->second.rows * layout->second.cols == count;
  if (both) {
    inner.rows = layout->second.rows;
    inner.cols = layout->second.cols;
  }
  const std::size_t written = statements_.count();
  Result<TileExpr> value = source_.expression(inner);
  if (!value) {
    statements_.drop(written);
    names_.forget();
    return std::optional<TileExpr>();
  }
  const auto along = [&](ir::ExprId operand, std::int64_t dim) {
    return tree_.call(made_by.function, {operand, tree_.integer(dim)},
                      {{"keepdim", tree_.boolean(true)}});
  };
  TileExpr made;
  made.rows = rows && !cols ? groups : 1;
  made.cols = cols && !rows ? groups : 1;
  made.expr = along(whole(*std::move(value), inner.rows, inner.cols).expr, 1);
  made.expr = both ? along(made.expr, 0) : made.expr;
  made.expr = made.cols > 1 ? tree_.attribute(made.expr, "T") : made.expr;
  // Not by the tile that it is a part of: that may have several.
  const std::uint64_t key =
      names_.tile_hash(inner) ^ std::hash<std::string>()(name + (made.cols > 1 ? ".T" : ""));
  return std::optional(names_.named(key, made_by.result, std::move(made)));
}

}  // namespace ws::lift
