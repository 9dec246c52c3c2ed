#include "runtime/lift/symbolic/guards.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

/// Four threads, and conditions of theirs.
struct Guarded {
  Terms terms{4};
  Symbols symbols;
  LaunchInput input;
  Arithmetic numbers{terms, symbols, input};
  Guards guards{terms, numbers};

  /// Whether a thread's index is less than a number.
  TermId below(std::int64_t number) {
    return numbers
        .result(ir::Operator::kLess, terms.integer(Poly(Lanes{0, 1, 2, 3})),
                terms.integer(Poly(number)), DType::kBool)
        .value_or(kNone);
  }

  /// Whether a size is less than a number.
  TermId small(std::int64_t number) {
    return numbers
        .result(ir::Operator::kLess, terms.integer(Poly::of(symbols.intern("self.n"))),
                terms.integer(Poly(number)), DType::kBool)
        .value_or(kNone);
  }
};

}  // namespace

TEST_SUITE("lift.guards") {
  TEST_CASE("what is known of a condition chooses threads, and the rest is a condition") {
    Guarded on;
    CHECK(on.guards.is_everyone());
    const TermId unknown = on.small(9);
    on.guards.narrow(on.numbers.joined(unknown, on.below(2), true));
    CHECK(on.guards.active() == Lanes{1, 1, 0, 0});
    CHECK(on.guards.is_active(1));
    CHECK_FALSE(on.guards.is_active(2));
    CHECK(on.guards.conditions() == std::vector<TermId>{unknown});
    CHECK_FALSE(on.guards.are_all_active());
    on.guards.narrow(on.below(0));
    CHECK(on.guards.is_nobody());
  }

  TEST_CASE(
      "a mask is a condition, whatever is known of it, and each part of a conjunction is one") {
    Guarded on;
    const TermId first = on.small(1);
    const TermId second = on.below(2);
    on.guards.mask(on.numbers.joined(first, second, true));
    CHECK(on.guards.conditions() == std::vector<TermId>{first, second});
    CHECK(on.guards.are_all_active());
    CHECK_FALSE(on.guards.is_everyone());
  }

  TEST_CASE("a state comes back with its threads and conditions") {
    Guarded on;
    on.guards.keep({1, 0, 1, 1});
    const Guards::State before = on.guards.state();
    on.guards.keep({1, 1, 0, 0}, false);
    on.guards.mask(on.small(1));
    CHECK(on.guards.active() == Lanes{0, 0, 1, 1});
    CHECK_FALSE(on.guards.state() == before);
    on.guards.restore(before);
    CHECK(on.guards.state() == before);
    CHECK(on.guards.exchange({0}) == Lanes{1, 0, 1, 1});
    CHECK(on.guards.is_nobody());
  }

  TEST_CASE("threads that have returned are masked for good") {
    Guarded on;
    const TermId before = on.small(1);
    const TermId stays = on.small(2);
    on.guards.mask(before);
    on.guards.mask(stays);
    on.guards.leave_others(1);
    CHECK(on.guards.conditions() == std::vector<TermId>{before});
    on.guards.drop(0);
    CHECK(on.guards.is_everyone());
    CHECK(on.guards.exits() == std::vector<TermId>{stays});
    CHECK(on.guards.masks() == std::vector<TermId>{stays});
  }

  TEST_CASE("values are compared thread by thread") {
    Guarded on;
    const TermId pairs = on.terms.integer(Poly(Lanes{5, 5, 6, 6}));
    CHECK(is_same(on.terms, pairs, on.terms.integer(Poly(Lanes{5, 5, 6, 6}))));
    CHECK_FALSE(is_same(on.terms, pairs, on.terms.integer(Poly(Lanes{5, 5, 6, 7}))));
    CHECK(is_alike(on.terms, pairs, 2));
    CHECK_FALSE(is_alike(on.terms, pairs, 4));
  }
}

}  // namespace ws::lift
