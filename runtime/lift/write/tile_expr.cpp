#include "runtime/lift/write/tile_expr.h"

#include <string>

namespace ws::lift {

ir::ExprId type_expr(ir::TreeBuilder& tree, DType type) {
  return tree.string(std::string(ws::name_of(type)));
}

ir::ExprId shape_expr(ir::TreeBuilder& tree, std::int64_t rows, std::int64_t cols) {
  return tree.tuple({tree.integer(rows), tree.integer(cols)});
}

TileExpr whole(ir::TreeBuilder& tree, TileExpr part, std::int64_t rows, std::int64_t cols) {
  if (part.number) {
    part.expr = tree.call(ir::Op::kFull,
                          {shape_expr(tree, rows, cols), part.expr, type_expr(tree, part.type)});
    part.name = false;
  } else if (part.rows != rows || part.cols != cols) {
    part.expr = tree.call(ir::Op::kBroadcast, {part.expr, shape_expr(tree, rows, cols)});
    part.name = false;
    part.factors.reset();
  }
  part.rows = rows;
  part.cols = cols;
  part.number = false;
  part.zero = false;
  return part;
}

ir::ExprId column_of(ir::TreeBuilder& tree, ir::ExprId operand) {
  return tree.index(operand, {tree.slice(ir::kNoExpr, ir::kNoExpr), tree.none()});
}

ir::ExprId row_of(ir::TreeBuilder& tree, ir::ExprId operand) {
  return tree.index(operand, {tree.none(), tree.slice(ir::kNoExpr, ir::kNoExpr)});
}

}  // namespace ws::lift
