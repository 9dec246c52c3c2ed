#include "runtime/lift/symbolic/round_places.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// Round r of a loop, after which n - r - 1 is left to do.
struct InRound : RunParts {
  Poly round = Poly::of(symbols.intern("r"));
  Poly left = Poly::of(symbols.intern("self.n")).plus(round, -1).plus(Poly(-1));
  RoundPlaces places{basis, reports};

  TermId compare(TermOp op, const Poly& a, const Poly& b) {
    return terms.operation(op, DType::kBool, {terms.integer(a), terms.integer(b)});
  }
};

}  // namespace

TEST_SUITE("lift.round_places") {
  TEST_CASE("what is left to do follows from the loop's condition") {
    InRound on;
    const Poly nine(9);
    const auto left = [&](TermOp op) {
      const Result<Poly> made = left_to_do(on.terms, on.compare(op, on.round, nine));
      return made ? *made : Poly(-1000);
    };
    CHECK(left(ir::Operator::kLess) == nine.plus(on.round, -1));
    CHECK(left(ir::Operator::kLessEqual) == Poly(10).plus(on.round, -1));
    CHECK(left(ir::Operator::kGreater) == on.round.plus(nine, -1));
    CHECK(RunParts::error_of(left_to_do(on.terms, on.number(1))) ==
          "a loop whose condition is no comparison of indices");
  }

  TEST_CASE("a branch that asks for the first round is taken as the case says") {
    InRound on;
    const TermId is_first = on.compare(ir::Operator::kEqual, on.round, Poly(0));
    const TermId is_later = on.compare(ir::Operator::kGreater, on.round, Poly(0));
    CHECK_FALSE(on.places.taken(is_first).has_value());  // In no loop.
    on.places.enter({on.round, on.left});
    CHECK_FALSE(on.places.taken(is_first).has_value());
    CHECK(on.places.asks_for_first());
    on.mode.pipeline.peeled = true;
    CHECK(on.places.taken(is_first) == false);
    CHECK(on.places.taken(is_later) == true);
    on.mode.pipeline.first = true;
    CHECK(on.places.taken(is_first) == true);
    CHECK_FALSE(on.places.asks_for_last());
  }

  TEST_CASE("a branch that asks for another round is taken but for the last one") {
    InRound on;
    on.places.enter({on.round, on.left});
    const TermId goes_on = on.compare(ir::Operator::kLess, Poly(0), on.left);
    CHECK(on.places.taken(goes_on) == true);
    CHECK(on.places.set_asks_for_last(false));
    on.mode.pipeline.last = true;
    CHECK(on.places.taken(goes_on) == false);
    CHECK(on.places.asks_for_last());
    on.reports.set_trial(true);
    CHECK(on.places.taken(goes_on) == true);
    on.places.leave();
    CHECK_FALSE(on.places.taken(goes_on).has_value());
  }
}

}  // namespace ws::lift
