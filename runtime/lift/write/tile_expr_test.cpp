#include "runtime/lift/write/tile_expr.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

TEST_SUITE("lift.tile_expr") {
  TEST_CASE("numbers, rows and columns become tiles") {
    ir::TreeBuilder tree;
    TileExpr one;
    one.expr = tree.parsed("x");
    one.name = true;
    one.rows = 8;
    const auto text = [&](const TileExpr& made) {
      return ir::print_expr(tree.program(), made.expr) + (made.name ? " name" : "");
    };
    CHECK(text(whole(tree, one, 8, 1)) == "x name");
    CHECK(text(whole(tree, one, 8, 16)) == "broadcast(x, (8, 16))");
    one.number = true;
    one.zero = true;
    one.type = DType::kF16;
    const TileExpr filled = whole(tree, one, 8, 1);
    CHECK(text(filled) == "full((8, 1), x, \"f16\")");
    CHECK_FALSE(filled.number);
    CHECK_FALSE(filled.zero);
  }
}

}  // namespace
}  // namespace ws::lift
