// Expressions of tiles, and what is known of them.
#pragma once

#include <optional>
#include <utility>

#include "runtime/ir/syntax/tree_builder.h"
#include "runtime/kernel/dtype.h"

namespace ws::lift {

/// An expression of CuIR: a tile, or a number.
struct TileExpr {
  ir::ExprId expr = ir::kNoExpr;
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  bool number = false;  ///< It has no dimensions at all.
  bool name = false;    ///< A variable, as it is.
  bool zero = false;    ///< The number 0, as it is.
  /// The operands, where it is a product `mma(a, b)`.
  std::optional<std::pair<ir::ExprId, ir::ExprId>> factors = std::nullopt;
  DType type = DType::kI32;
};

/// "f32", quoted.
ir::ExprId type_expr(ir::TreeBuilder& tree, DType type);

/// "(rows, cols)"
ir::ExprId shape_expr(ir::TreeBuilder& tree, std::int64_t rows, std::int64_t cols);

/// As a tile of this size, whatever it was: a number fills it, a row or column is repeated.
TileExpr whole(ir::TreeBuilder& tree, TileExpr part, std::int64_t rows, std::int64_t cols);

/// `operand`[:, None] of a vector that lies along the rows, `operand`[None, :] of one that does
/// along the columns.
ir::ExprId column_of(ir::TreeBuilder& tree, ir::ExprId operand);
ir::ExprId row_of(ir::TreeBuilder& tree, ir::ExprId operand);

}  // namespace ws::lift
