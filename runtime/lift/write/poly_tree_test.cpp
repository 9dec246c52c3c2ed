#include "runtime/lift/write/poly_tree.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

struct Polynomials {
  Symbols symbols;
  ir::TreeBuilder tree;
  PolyTree polys{tree, symbols};
  Poly n = Poly::of(symbols.intern("self.n"));
  Poly i = Poly::of(symbols.intern("i"));
  Poly half = Poly::of(symbols.intern("((self.m) // (2))"));

  [[nodiscard]] std::string print(ir::ExprId id) const {
    return ir::print_expr(tree.program(), id);
  }
};

TEST_SUITE("lift.poly_tree") {
  TEST_CASE("a polynomial has the same terms as a tree and as text") {
    Polynomials on;
    const Poly square = on.n.times(on.n);
    const std::vector<std::pair<Poly, const char*>> rows = {
        {Poly(0), "0"},
        {Poly(-7), "-7"},
        {on.n, "self.n"},
        {on.n.times(Poly(-3)).plus(Poly(5)), "-self.n * 3 + 5"},
        {on.n.plus(on.i, -2).plus(Poly(-1)), "self.n - i * 2 - 1"},
        {square.plus(on.n), "self.n + self.n * self.n"},
        {Poly(INT64_MAX), "9223372036854775807"},
        {Poly(-INT64_MAX), "-9223372036854775807"},
    };
    for (const auto& [poly, text] : rows) {
      CHECK(on.print(on.polys.of(poly)) == text);
      CHECK(on.symbols.text_of(poly) == text);
    }
  }

  TEST_CASE("a symbol that is an expression keeps only the parentheses that it needs") {
    Polynomials on;
    CHECK(on.print(on.polys.of(on.half)) == "self.m // 2");
    CHECK(on.print(on.polys.of(on.half.times(Poly(4)))) == "self.m // 2 * 4");
    CHECK(on.print(on.polys.of(on.n.times(on.half))) == "self.n * (self.m // 2)");
    CHECK(on.print(on.polys.of(on.half.times(Poly(-1)))) == "-(self.m // 2)");
  }

  TEST_CASE("terms are added one by one") {
    Polynomials on;
    const ir::ExprId left = on.tree.parsed("a + b");
    CHECK(on.print(on.polys.sum(left, on.n.plus(on.i, -1).plus(Poly(2)))) ==
          "a + b + self.n - i + 2");
    CHECK(on.print(on.polys.sum(left, on.i.times(Poly(-1)))) == "a + b + -i");
    CHECK(on.print(on.polys.sum(left, Poly(-3))) == "a + b + -3");
    CHECK(on.print(on.polys.sum(left, Poly(0))) == "a + b");
  }

  TEST_CASE("what has no form in CuIR has no node") {
    Polynomials on;
    CHECK(on.polys.of(Poly(INT64_MIN)) == ir::TreeBuilder::kTooLarge);
    const Poly inner = Poly::of(on.symbols.intern("quotient of i"));
    CHECK(on.polys.of(inner.plus(Poly(1))) == ir::TreeBuilder::kUnreadable);
  }
}

}  // namespace
}  // namespace ws::lift
