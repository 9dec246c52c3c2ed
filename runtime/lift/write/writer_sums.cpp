// Sums, maxima and minima of many operands: products of matrices, reductions across threads, or
// just several terms.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "runtime/lift/write/writer.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxOperands = 4096;
/// So many terms are written one after the other.
constexpr std::size_t kMaxTerms = 32;
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

/// The operands of each point are sorted into classes: those of a class do the same with other
/// elements.
Result<TileExpr> Writer::reduction(const Tile& tile, TermOp op) {
  std::vector<std::uint64_t> shapes;
  std::vector<std::vector<std::vector<Ref>>> classes;  // By class and point.
  std::size_t total = 0;
  for (std::size_t point = 0; point < tile.points.size(); ++point) {
    std::vector<Ref> operands;
    const bool fits = terms_.flatten(tile.points[point], op, kMaxOperands, operands);
    if (op != ir::Operator::kAdd) {
      drop_equal(operands);  // The largest of twice the same is the same.
    }
    total += operands.size();
    if (!fits || total > kMaxElements) {
      return fail(ErrorCode::kUnsupported, "a sum of too many terms");
    }
    for (const Ref& operand : operands) {
      const std::uint64_t shape = terms_.shape_hash(operand);
      const auto at = std::find(shapes.begin(), shapes.end(), shape) - shapes.begin();
      if (at == static_cast<std::ptrdiff_t>(shapes.size())) {
        shapes.push_back(shape);
        classes.emplace_back(tile.points.size());
      }
      classes[static_cast<std::size_t>(at)][point].push_back(operand);
    }
  }
  std::optional<TileExpr> sum;
  for (const auto& operands : classes) {
    const bool same = std::all_of(operands.begin(), operands.end(), [&](const auto& list) {
      return list.size() == operands[0].size();
    });
    if (!same) {
      return fail(ErrorCode::kUnsupported, "elements of a tile that add up different things");
    }
    WS_TRY(const TileExpr part, reduced_class(tile, operands, op));
    const bool product = part.factors.has_value();
    if (sum && product && sum->name && sum->rows == part.rows && sum->cols == part.cols) {
      sum->expr = tree_.call(ir::Op::kMma, {part.factors->first, part.factors->second, sum->expr});
      sum->name = false;
    } else {
      sum = sum ? joined(op, *sum, part) : part;
    }
  }
  if (!sum) {
    return fail(ErrorCode::kUnsupported, "a sum of nothing");
  }
  return *sum;
}

void Writer::drop_equal(std::vector<Ref>& operands) {
  std::map<std::uint64_t, Ref> seen;
  std::erase_if(operands, [&](const Ref& one) {
    const auto [kept, fresh] = seen.emplace(terms_.value_hash(one), one);
    return !fresh && terms_.reads_as_much(kept->second, one);
  });
}

/// Whether each of some values is among others that are read wherever it is.
bool Writer::stand_for(const std::vector<Ref>& some, const std::vector<Ref>& others) {
  std::map<std::uint64_t, Ref> known;
  for (const Ref& one : some) {
    known.emplace(terms_.value_hash(one), one);
  }
  return std::ranges::all_of(others, [&](const Ref& other) {
    const auto found = known.find(terms_.value_hash(other));
    return found != known.end() && terms_.reads_as_much(found->second, other);
  });
}

Result<TileExpr> Writer::reduced_class(const Tile& tile,
                                       const std::vector<std::vector<Ref>>& operands, TermOp op) {
  const std::size_t count = operands[0].size();
  if (count > 1 && op == ir::Operator::kAdd && tile.rows > 1 && tile.cols > 1) {
    WS_TRY(std::optional<TileExpr> made, product(tile, operands));
    if (made) {
      return *std::move(made);
    }
  }
  if (count > 1) {
    WS_TRY(std::optional<TileExpr> made, across(tile, operands, op));
    if (made) {
      return *std::move(made);
    }
  }
  if (count > kMaxTerms) {
    return fail(ErrorCode::kUnsupported, "a sum over threads that follows no rule");
  }
  std::optional<TileExpr> sum;
  for (std::size_t i = 0; i < count; ++i) {
    Tile one{tile.rows, tile.cols, {}};
    for (const auto& list : operands) {
      one.points.push_back(list[i]);
    }
    WS_TRY(const TileExpr part, expression(std::move(one)));
    sum = sum ? joined(op, *sum, part) : part;
  }
  return *sum;
}

/// Sum over i of a(row, i) * b(i, column).
Result<std::optional<TileExpr>> Writer::product(const Tile& tile,
                                                const std::vector<std::vector<Ref>>& operands) {
  const auto count = static_cast<std::int64_t>(operands[0].size());
  const auto factor = [&](std::int64_t row, std::int64_t col, std::int64_t i, std::size_t which) {
    const Ref& ref = operands[tile.at(row, col)][static_cast<std::size_t>(i)];
    return Ref{terms_.at(ref.term).args[which], ref.lane};
  };
  const Term& first = terms_.at(operands[0][0].term);
  if (first.kind != TermKind::kOperation || first.op != ir::Operator::kMultiply ||
      !is_float(first.type)) {
    return std::optional<TileExpr>();
  }
  // The factor that is the same along a row, if one is.
  const auto along_rows = [&](std::size_t which) {
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      for (std::int64_t col = 0; col < tile.cols; ++col) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::array<std::pair<Ref, Ref>, 2> pairs = {
              {{factor(row, 0, i, which), factor(row, col, i, which)},
               {factor(0, col, i, 1 - which), factor(row, col, i, 1 - which)}}};
          if (!std::ranges::all_of(pairs, [&](const auto& pair) {
                return terms_.value_hash(pair.first) == terms_.value_hash(pair.second) &&
                       terms_.reads_as_much(pair.first, pair.second);
              })) {
            return false;
          }
        }
      }
    }
    return true;
  };
  const std::size_t left = along_rows(0) ? 0 : 1;
  if (left == 1 && !along_rows(1)) {
    return std::optional<TileExpr>();
  }
  Tile a{tile.rows, count, {}};
  Tile b{count, tile.cols, {}};
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    for (std::int64_t i = 0; i < count; ++i) {
      a.points.push_back(factor(row, 0, i, left));
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t col = 0; col < tile.cols; ++col) {
      b.points.push_back(factor(0, col, i, 1 - left));
    }
  }
  const std::size_t written = statements_.count();
  const Result<TileExpr> left_part = expression(a);
  const Result<TileExpr> right_part = left_part ? expression(b) : left_part;
  if (!right_part) {
    statements_.drop(written);
    hoisted_.clear();
    return std::optional<TileExpr>();  // Elements one by one may do.
  }
  TileExpr made;
  made.rows = tile.rows;
  made.cols = tile.cols;
  made.factors =
      std::pair(whole(*left_part, a.rows, a.cols).expr, whole(*right_part, b.rows, b.cols).expr);
  made.expr = tree_.call(ir::Op::kMma, {made.factors->first, made.factors->second});
  return std::optional(std::move(made));
}

/// The first element of each object below a value: loads of it, or the variable's own place.
void Writer::anchors(Ref ref, std::map<ObjectId, std::int64_t>& found, int& left) {
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
std::optional<Tile> Writer::ordered(const std::vector<Ref>& operands) {
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
std::pair<bool, bool> Writer::shared_along(const Tile& tile,
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
Result<std::optional<TileExpr>> Writer::across(const Tile& tile,
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
  Result<TileExpr> value = expression(inner);
  if (!value) {
    statements_.drop(written);
    hoisted_.clear();
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
      tile_hash(inner) ^ std::hash<std::string>()(name + (made.cols > 1 ? ".T" : ""));
  return std::optional(hoisted(key, made_by.result, std::move(made)));
}

}  // namespace ws::lift
