#include "runtime/lift/write/tile_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ws::lift {
namespace {

/// Some bits of an index, one after another, as they count in a value.
struct BitRun {
  std::int64_t factor = 0;  ///< For the lowest one.
  std::int64_t below = 1;   ///< 2 to the number of bits below.
  std::int64_t count = 1;   ///< 2 to the number of these bits.
};

/// g as a sum over the bits of its index, with g[0] = 0: how lanes and warps count in the rows that
/// they hold. Nothing: it is none.
std::optional<std::vector<BitRun>> bit_runs(const std::vector<std::int64_t>& g) {
  const auto size = static_cast<std::int64_t>(g.size());
  std::vector<BitRun> runs;
  for (std::int64_t bit = 1; bit < size; bit *= 2) {
    const std::int64_t factor = g[static_cast<std::size_t>(bit)];
    if (!runs.empty() && runs.back().below * runs.back().count == bit &&
        factor == runs.back().factor * runs.back().count) {
      runs.back().count *= 2;
    } else if (factor != 0) {
      runs.push_back({factor, bit, 2});
    }
  }
  for (std::int64_t i = 0; i < size; ++i) {
    std::int64_t sum = 0;
    for (const BitRun& run : runs) {
      sum += i / run.below % run.count * run.factor;
    }
    if (sum != g[static_cast<std::size_t>(i)]) {
      return std::nullopt;
    }
  }
  return runs;
}

/// The type that a tile of integers needs where 32 bits with a sign may not hold them; nothing:
/// they do.
std::optional<DType> large_type(DType type, const std::vector<const Poly*>& polys) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 20U;
  const bool other = type == DType::kI64 || type == DType::kU64 || type == DType::kU32;
  const bool large = std::ranges::any_of(polys, [&](const Poly* poly) {
    return std::ranges::any_of(poly->terms(), [&](const auto& term) {
      return std::ranges::any_of(
          term.second, [&](std::int64_t factor) { return factor >= kLarge || factor <= -kLarge; });
    });
  });
  return other && large ? std::optional(type) : std::nullopt;
}

}  // namespace

ir::ExprId TileNumbers::typed(ir::ExprId count, std::optional<DType> type) {
  return type ? tree_.call(ir::Op::kCast, {count, type_expr(tree_, *type)}) : count;
}

/// The numbers of the rows.
ir::ExprId TileNumbers::rows(std::int64_t size, std::optional<DType> type) {
  const ir::ExprId count = tree_.call(ir::Op::kArange, {tree_.integer(size)});
  return typed(column_of(tree_, count), type);
}

ir::ExprId TileNumbers::cols(std::int64_t size, std::optional<DType> type) {
  const ir::ExprId count = tree_.call(ir::Op::kArange, {tree_.integer(size)});
  return typed(row_of(tree_, count), type);
}

ir::ExprId TileNumbers::changed(ir::Operator op, ir::ExprId left, std::int64_t right, bool needed) {
  return needed ? tree_.binary(op, left, tree_.integer(right)) : left;
}

/// @param left  kNoExpr: the terms alone. There is one then.
ir::ExprId TileNumbers::sum(ir::ExprId left, const std::vector<ir::ExprId>& terms) {
  for (const ir::ExprId term : terms) {
    left = left == ir::kNoExpr ? term : tree_.binary(ir::Operator::kAdd, left, term);
  }
  return left;
}

/// A value of row and column as a sum of bits of each. Nothing: it is none.
std::optional<TileNumbers::Varying> TileNumbers::by_bits(const Tile& tile,
                                                         const std::vector<std::int64_t>& values,
                                                         std::optional<DType> type) {
  std::vector<std::int64_t> down;
  std::vector<std::int64_t> across;
  down.reserve(static_cast<std::size_t>(tile.rows));
  across.reserve(static_cast<std::size_t>(tile.cols));
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    down.push_back(values[tile.at(row, 0)] - values[0]);
  }
  for (std::int64_t col = 0; col < tile.cols; ++col) {
    across.push_back(values[tile.at(0, col)] - values[0]);
  }
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    for (std::int64_t col = 0; col < tile.cols; ++col) {
      if (values[tile.at(row, col)] !=
          values[0] + down[static_cast<std::size_t>(row)] + across[static_cast<std::size_t>(col)]) {
        return std::nullopt;
      }
    }
  }
  const auto by_row = bit_runs(down);
  const auto by_col = bit_runs(across);
  if (!by_row || !by_col) {
    return std::nullopt;
  }
  Varying made{{}, values[0], !by_row->empty(), !by_col->empty()};
  const auto add = [&](const BitRun& run, ir::ExprId part, std::int64_t size) {
    part = changed(ir::Operator::kFloorDivide, part, run.below, run.below > 1);
    part = changed(ir::Operator::kModulo, part, run.count, run.below * run.count < size);
    made.terms.push_back(changed(ir::Operator::kMultiply, part, run.factor, run.factor != 1));
  };
  for (const BitRun& run : *by_row) {
    add(run, rows(tile.rows, type), tile.rows);
  }
  for (const BitRun& run : *by_col) {
    add(run, cols(tile.cols, type), tile.cols);
  }
  return made;
}

/// A value of row and column. Nothing: it follows neither.
std::optional<TileNumbers::Varying> TileNumbers::varying(const Tile& tile,
                                                         const std::vector<std::int64_t>& values,
                                                         std::optional<DType> type) {
  const std::optional<Fit> fit = Tiles::fit(tile, values);
  if (!fit) {
    return by_bits(tile, values, type);
  }
  Varying made{{}, fit->first, fit->by_row != 0, fit->by_col != 0};
  if (made.by_row) {
    made.terms.push_back(
        changed(ir::Operator::kMultiply, rows(tile.rows, type), fit->by_row, fit->by_row != 1));
  }
  if (made.by_col) {
    const ir::ExprId part =
        changed(ir::Operator::kFloorDivide, cols(tile.cols, type), fit->group, fit->group > 1);
    made.terms.push_back(changed(ir::Operator::kMultiply, part, fit->by_col, fit->by_col != 1));
  }
  return made;
}

Result<TileExpr> TileNumbers::integer(const Tile& tile, const std::vector<const Poly*>& polys,
                                      DType type) {
  const std::optional<DType> wide = large_type(type, polys);
  std::map<Monomial, std::vector<std::int64_t>> factors;
  for (std::size_t i = 0; i < polys.size(); ++i) {
    for (const auto& [monomial, lanes] : polys[i]->terms()) {
      auto& all = factors[monomial];
      all.resize(polys.size(), 0);
      all[i] = lane_of(lanes, static_cast<std::size_t>(tile.points[i].lane));
    }
  }
  Poly base;
  TileExpr made;
  made.number = true;
  for (const auto& [monomial, values] : factors) {
    const std::optional<Varying> part = varying(tile, values, wide);
    if (!part) {
      return fail(ErrorCode::kUnsupported, "an index that follows neither row nor column");
    }
    Poly product(1);
    for (const SymbolId symbol : monomial) {
      product = product.times(Poly::of(symbol));
    }
    base = base.plus(product, part->first);
    if (part->terms.empty()) {
      continue;
    }
    const std::vector<ir::ExprId> terms =
        monomial.empty()
            ? part->terms
            : std::vector<ir::ExprId>{tree_.binary(
                  ir::Operator::kMultiply, sum(ir::kNoExpr, part->terms), polys_.of(product))};
    made.expr = sum(made.expr, terms);
    made.rows = part->by_row ? tile.rows : made.rows;
    made.cols = part->by_col ? tile.cols : made.cols;
    made.number = false;
  }
  made.zero = made.number && base == Poly(0);
  made.expr = polys_.sum(made.expr, base);
  return made;
}

Result<TileExpr> TileNumbers::real(double value, DType type) {
  if (std::isnan(value)) {
    return fail(ErrorCode::kUnsupported, "a constant that is not a number");
  }
  const double size = std::fabs(value);
  TileExpr made;
  made.number = true;
  made.zero = value == 0 && !std::signbit(value);
  if (std::isinf(size)) {
    made.expr = tree_.name("inf");
  } else {
    char buffer[40];
    const bool single =
        type == DType::kF32 && static_cast<double>(static_cast<float>(size)) == size;
    const auto end =
        single ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(size)).ptr
               : std::to_chars(buffer, buffer + sizeof buffer, size).ptr;
    std::string text(buffer, end);
    text += text.find_first_of(".e") == std::string::npos ? ".0" : "";
    made.expr = tree_.real(size, std::move(text));
  }
  if (std::signbit(value)) {
    made.expr = tree_.unary(ir::Operator::kNegate, made.expr);
  }
  return made;
}

}  // namespace ws::lift
