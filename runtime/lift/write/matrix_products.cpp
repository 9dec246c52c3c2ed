#include "runtime/lift/write/matrix_products.h"

#include <algorithm>

#include "runtime/base/units.h"

namespace ws::lift {
namespace {

/// So many products that are rounded are written one in another.
constexpr std::size_t kMostRounded = 16;

std::uint64_t joined_hash(std::uint64_t hash, std::uint64_t next) {
  return (hash ^ next) * 0x100000001b3ULL + (hash >> 29U);
}

}  // namespace

/// The operands' tiles of the products from number `first` to before `end`: a row of the left one
/// is the same in all columns of the result, a column of the right one in all rows.
Result<std::pair<Tile, Tile>> MatrixProducts::product_operands(
    const Tile& tile, const std::vector<ProductChain>& chains, std::size_t first, std::size_t end) {
  WS_CHECK(check_rows_by_columns(tile, chains, first, end));
  const auto depth = static_cast<std::int64_t>(end - first) * kMatrixDepth;
  const auto product = [&](std::size_t point, std::int64_t k) {
    return chains[point].products[first + static_cast<std::size_t>(k / kMatrixDepth)];
  };
  Tile a{tile.rows, depth, {}};
  Tile b{depth, tile.cols, {}};
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    for (std::int64_t k = 0; k < depth; ++k) {
      a.points.push_back(left_element(terms_, product(tile.at(row, 0), k), k % kMatrixDepth));
    }
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t col = 0; col < tile.cols; ++col) {
      b.points.push_back(right_element(terms_, product(tile.at(0, col), k), k % kMatrixDepth));
    }
  }
  return std::pair(std::move(a), std::move(b));
}

/// The hash of all elements of the row, or of the column, that a thread's product is made of.
std::uint64_t MatrixProducts::operand_hash(Ref product, bool right) {
  const auto [row, col] = place_of(terms_, product);
  const OperandKey key{product.term, product.lane / kWarpSize, right, right ? col : row};
  const auto [entry, fresh] = operand_hashes_.try_emplace(key, 0);
  for (std::int64_t k = 0; k < kMatrixDepth && fresh; ++k) {
    const Ref element =
        right ? right_element(terms_, product, k) : left_element(terms_, product, k);
    entry->second = joined_hash(entry->second, terms_.value_hash(element));
  }
  return entry->second;
}

/// @errors kUnsupported: the products are no rows of one tile by columns of another one.
Status MatrixProducts::check_rows_by_columns(const Tile& tile,
                                             const std::vector<ProductChain>& chains,
                                             std::size_t first, std::size_t end) {
  const std::size_t steps = chains[0].products.size();
  std::vector<std::vector<std::uint64_t>> rows(static_cast<std::size_t>(tile.rows));
  std::vector<std::vector<std::uint64_t>> cols(static_cast<std::size_t>(tile.cols));
  for (std::size_t point = 0; point < chains.size(); ++point) {
    const std::size_t row = point / static_cast<std::size_t>(tile.cols);
    const std::size_t col = point % static_cast<std::size_t>(tile.cols);
    if (col == 0) {
      WS_CHECK(input_.time_budget.left());
    }
    std::vector<std::uint64_t> left;
    std::vector<std::uint64_t> right;
    const std::vector<Ref>& products = chains[point].products;
    for (std::size_t step = first; step < std::min(end, products.size()); ++step) {
      left.push_back(operand_hash(products[step], false));
      right.push_back(operand_hash(products[step], true));
    }
    rows[row] = col == 0 ? left : std::move(rows[row]);
    cols[col] = row == 0 ? right : std::move(cols[col]);
    if (left != rows[row] || right != cols[col] || products.size() != steps) {
      return fail(ErrorCode::kUnsupported, "products whose sums are no rows by columns");
    }
  }
  return {};
}

/// Sums by mma.sync or wmma, one after the other: a product of tiles. Each instruction rounds sums
/// that are halves: these stay products of their own.
Result<TileExpr> MatrixProducts::product(const Tile& tile) {
  std::vector<ProductChain> chains;
  Tile start{tile.rows, tile.cols, {}};
  for (const Ref& point : tile.points) {
    chains.push_back(chain_of(terms_, point));
    start.points.push_back(chains.back().start);
  }
  const Term first = terms_.at(tile.points[0].term);
  const bool rounds = size_of(first.type) == 2;
  if (rounds && chains[0].products.size() > kMostRounded) {
    return fail(ErrorCode::kUnsupported, "a sum of too many products that are rounded to halves");
  }
  WS_TRY(TileExpr sum, source_.expression(start));
  const bool zero = sum.zero;
  sum = whole(std::move(sum), tile.rows, tile.cols);
  const std::string instruction = first.op == OwnOp::kFragmentProduct ? "wmma" : "mma.sync";
  const std::size_t steps = chains[0].products.size();
  for (std::size_t step = 0; step < steps; step += rounds ? 1 : steps) {
    WS_TRY(const auto operands, product_operands(tile, chains, step, rounds ? step + 1 : steps));
    const auto& [a, b] = operands;
    WS_TRY(TileExpr left, source_.expression(a));
    WS_TRY(TileExpr right, source_.expression(b));
    left = whole(std::move(left), a.rows, a.cols);
    right = whole(std::move(right), b.rows, b.cols);
    ir::TreeBuilder::Keywords added;
    if (!zero || rounds) {
      added.emplace_back("acc", sum.expr);
    }
    sum.expr = tree_.call(ir::Op::kGemm, {left.expr, right.expr, tree_.string(instruction)}, added);
  }
  TileExpr made;
  made.rows = tile.rows;
  made.cols = tile.cols;
  made.expr = sum.expr;
  return made;
}

}  // namespace ws::lift
