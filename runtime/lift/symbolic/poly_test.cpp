#include "runtime/lift/symbolic/poly.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.poly") {
  TEST_CASE("a division is known where each symbol's factor is divisible, and thread by thread") {
    const Poly block = Poly::of(0).times(Poly(32));
    const Poly index = block.plus(Poly(Lanes{0, 5, 9, 12}));
    REQUIRE(index.divided(4));
    CHECK(*index.divided(4) == Poly::of(0).times(Poly(8)).plus(Poly(Lanes{0, 1, 2, 3})));
    CHECK(*index.modulo(4) == Poly(Lanes{0, 1, 1, 0}));
    CHECK_FALSE(index.divided(5));                        // 32 of the symbol is no multiple.
    CHECK_FALSE(Poly(-1).divided(2));                     // C and CuIR round it differently.
    CHECK_FALSE(Poly::of(0).times(Poly(-4)).divided(4));  // May be negative.
    CHECK_FALSE(index.divided(0));
  }

  TEST_CASE("a term that vanishes is gone, and equal numbers of all threads are one") {
    const Poly sum = Poly::of(1).plus(Poly(Lanes{7, 7, 7}));
    CHECK(sum.plus(Poly::of(1), -1) == Poly(7));
    CHECK(sum.plus(Poly::of(1), -1).number() == 7);
    CHECK(Poly(Lanes{1, 2}).number() == std::nullopt);
    CHECK(sum.is_uniform());
    CHECK_FALSE(sum.plus(Poly(Lanes{1, 2, 3})).is_uniform());
  }

  TEST_CASE("an offset splits into what a row's size divides, and the rest") {
    const Poly size = Poly::of(0);
    const Poly row = Poly::of(1).times(Poly(8)).plus(Poly(Lanes{0, 1}));
    const Poly offset = row.times(size).plus(Poly(Lanes{3, 4}));
    const auto [upper, lower] = offset.split({0}, 1);
    CHECK(upper == row);
    CHECK(lower == Poly(Lanes{3, 4}));
    // By a number: of the plain part as often as it goes in.
    const auto [quotient, rest] = Poly::of(1).times(Poly(128)).plus(Poly(70)).split({}, 64);
    CHECK(quotient == Poly::of(1).times(Poly(2)).plus(Poly(1)));
    CHECK(rest == Poly(6));
  }
}

}  // namespace ws::lift
