#include "runtime/lift/write/tile_sums.h"

#include <algorithm>
#include <array>

#include "runtime/lift/write/limits.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxOperands = 4096;
/// So many terms are written one after the other.
constexpr std::size_t kMaxTerms = 32;

}  // namespace

/// The operands of each point are sorted into classes: those of a class do the same with other
/// elements.
Result<TileExpr> TileSums::reduction(const Tile& tile, TermOp op) {
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
    if (!fits || total > kMaxTileElements) {
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
      sum = sum ? joined(tree_, op, *sum, part) : part;
    }
  }
  if (!sum) {
    return fail(ErrorCode::kUnsupported, "a sum of nothing");
  }
  return *sum;
}

void TileSums::drop_equal(std::vector<Ref>& operands) {
  std::map<std::uint64_t, Ref> seen;
  std::erase_if(operands, [&](const Ref& one) {
    const auto [kept, fresh] = seen.emplace(terms_.value_hash(one), one);
    return !fresh && terms_.reads_as_much(kept->second, one);
  });
}

Result<TileExpr> TileSums::reduced_class(const Tile& tile,
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
    WS_TRY(const TileExpr part, source_.expression(std::move(one)));
    sum = sum ? joined(tree_, op, *sum, part) : part;
  }
  return *sum;
}

/// Sum over i of a(row, i) * b(i, column).
Result<std::optional<TileExpr>> TileSums::product(const Tile& tile,
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
  const Result<TileExpr> left_part = source_.expression(a);
  const Result<TileExpr> right_part = left_part ? source_.expression(b) : left_part;
  if (!right_part) {
    statements_.drop(written);
    names_.forget();
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

}  // namespace ws::lift
