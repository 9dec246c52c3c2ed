#include "runtime/lift/write/tile_parts.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

struct PartsOfTiles {
  std::vector<std::string> regions;
  Symbols symbols;
  ir::TreeBuilder tree;
  PolyTree polys{tree, symbols};
  Statements statements{tree, regions};
  TileParts parts{tree, polys, statements};
  Poly b = Poly::of(symbols.intern("b"));
  Poly n = Poly::of(symbols.intern("self.n"));

  [[nodiscard]] std::string print(ir::ExprId id) const {
    return ir::print_expr(tree.program(), id);
  }

  std::string index(const Spot& spot, const Tile& tile) {
    const std::optional<ir::ExprId> made = parts.tile_index(spot, tile);
    return made ? print(*made) : "none";
  }

  /// The part as it is, and as the tile.
  std::string part(const Spot& spot, const Tile& tile) {
    std::vector<std::size_t> kept;
    const ir::ExprId made = parts.part(tree.self("x"), spot, tile, kept);
    return print(parts.oriented(made, kept, spot, tile).expr);
  }

  std::string array(const Object& object, const Poly& first, const Spot& spot, const Tile& tile) {
    std::vector<std::size_t> kept;
    const std::optional<ir::ExprId> made = parts.array_part(object, first, spot, tile, kept);
    return made ? print(parts.oriented(*made, kept, spot, tile).expr) : "none";
  }
};

TEST_SUITE("lift.tile_parts") {
  TEST_CASE("tiles are counted by their size") {
    PartsOfTiles on;
    const Tile tile{8, 16, {}};
    CHECK(on.index({{on.b.times(Poly(8)), Poly(32)}, 0, 1}, tile) == "(b, 2)");
    CHECK(on.index({{on.n, on.b.times(Poly(16)), Poly(0)}, 1, Spot::kNoDim}, {16, 1, {}}) ==
          "(self.n, b, 0)");
    CHECK(on.index({{on.b.times(Poly(8))}, 0, Spot::kNoDim}, {8, 1, {}}) == "b");
    CHECK(on.index({{on.b.times(Poly(8)), Poly(3)}, 0, 1}, tile) == "none");
  }

  TEST_CASE("parts lie along rows and columns") {
    PartsOfTiles on;
    const Tile tile{8, 16, {}};
    CHECK(on.part({{on.b.times(Poly(8)), Poly(0)}, 0, 1}, tile) == "self.x[b * 8:b * 8 + 8, 0:16]");
    CHECK(on.part({{on.b, Poly(4)}, 1, 0}, tile) == "self.x[b:b + 16, 4:4 + 8].T");
    CHECK(on.part({{on.b, Poly(4)}, 1, Spot::kNoDim}, {8, 1, {}}) == "self.x[b, 4:4 + 8][:, None]");
    CHECK(on.part({{on.b, Poly(4)}, Spot::kNoDim, 0}, {1, 8, {}}) == "self.x[b:b + 8, 4][None, :]");
    CHECK(on.part({{on.b, Poly(4)}, Spot::kNoDim, Spot::kNoDim}, {1, 1, {}}) == "self.x[b, 4]");
    CHECK(on.statements.count() == 0);
  }

  TEST_CASE("a first index that the checker could not compare has a name") {
    PartsOfTiles on;
    const Poly half = Poly::of(on.symbols.intern("(self.n // 2)"));
    CHECK(on.part({{on.b.times(on.n), half}, 0, 1}, {8, 16, {}}) ==
          "self.x[first:first + 8, first_1:first_1 + 16]");
    std::string text;
    for (const ir::StmtId id : on.statements.body()) {
      text += ir::print_stmt(on.tree.program(), id, 0);
    }
    CHECK(text == "first = b * self.n\nfirst_1 = self.n // 2\n");
  }

  TEST_CASE("arrays of tiles in shared memory") {
    PartsOfTiles on;
    Object stages;
    stages.name = "As";
    stages.dims = {3, 64, 32};
    const Spot upright{{Poly(0), Poly(0)}, 0, 1};
    const Spot turned{{Poly(0), Poly(0)}, 1, 0};
    const Poly first = on.b.times(Poly(2048));
    CHECK(on.array(stages, first, upright, {64, 32, {}}) == "self.As[b]");
    CHECK(on.array(stages, first, turned, {32, 64, {}}) == "self.As[b].T");
    CHECK(on.array(stages, first.plus(Poly(4096)), {{Poly(16), Poly(8)}, 0, 1}, {16, 8, {}}) ==
          "self.As[b + 2, 16:16 + 16, 8:8 + 8]");
    CHECK(on.array(stages, first.plus(Poly(32)), upright, {64, 32, {}}) == "none");
    stages.dims = {64, 32};
    CHECK(on.array(stages, Poly(0), upright, {64, 32, {}}) == "self.As");
    CHECK(on.array(stages, Poly(32), upright, {64, 32, {}}) == "none");
  }
}

}  // namespace
}  // namespace ws::lift
