#include "runtime/lift/symbolic/pipeline.h"

#include <doctest/doctest.h>

#include "runtime/lift/input.h"

namespace ws::lift {
namespace {

/// Elements of one tensor that two threads read, and what they are made into.
struct Loads {
  Terms terms{2};
  Symbols symbols;
  Poly round = Poly::of(symbols.intern("i"));

  TermId load(const Poly& index) {
    Term term;
    term.kind = TermKind::kLoad;
    term.object = 0;
    term.poly = index;
    return terms.add(std::move(term));
  }

  TermId doubled(TermId value) {
    return terms.operation(ir::Operator::kAdd, DType::kF32, {value, value});
  }
};

}  // namespace

TEST_SUITE("lift.pipeline") {
  TEST_CASE("indices of two rounds tell those of round i, if they grow evenly") {
    Loads loads;
    const Shift shift(loads.terms, loads.round, 2);
    const Poly threads(Lanes{0, 8});
    CHECK(shift.poly(threads, threads.plus(Poly(64))) == threads.plus(loads.round, 32));
    CHECK(shift.poly(threads, threads) == threads);
    CHECK_FALSE(shift.poly(threads, threads.plus(Poly(63))).has_value());
  }

  TEST_CASE("so do values that are made of loads in the same way") {
    Loads loads;
    Shift shift(loads.terms, loads.round, 1);
    const TermId made =
        shift.term(loads.doubled(loads.load(Poly(4))), loads.doubled(loads.load(Poly(20))));
    REQUIRE(made != kNone);
    const Term& sum = loads.terms.at(made);
    CHECK(sum.op == ir::Operator::kAdd);
    CHECK(loads.terms.at(sum.args[0]).poly == Poly(4).plus(loads.round, 16));
  }

  TEST_CASE("values that are made in other ways, of other threads or of other objects are none") {
    Loads loads;
    Shift shift(loads.terms, loads.round, 1);
    const TermId first = loads.load(Poly(4));
    const TermId second = loads.load(Poly(20));
    CHECK(shift.term(first, loads.doubled(second)) == kNone);
    CHECK(shift.term(loads.terms.move(DType::kF32, {{first, 0}, {first, 1}}),
                     loads.terms.move(DType::kF32, {{second, 1}, {second, 0}})) == kNone);
    CHECK_FALSE(shift.leaf({kNone, 0, Poly(0), kNone}, {kNone, 1, Poly(4), kNone}).has_value());
    const auto pointer = shift.leaf({kNone, 1, Poly(0), kNone}, {kNone, 1, Poly(4), kNone});
    REQUIRE(pointer.has_value());
    CHECK(pointer->offset == Poly(0).plus(loads.round, 4));
  }

  TEST_CASE("a copy that is under way moves with what it reads, and to where it writes") {
    Loads loads;
    Shift shift(loads.terms, loads.round, 1);
    const AsyncCopy first{3, Poly(0), {loads.load(Poly(0))}, {1}, {}};
    const AsyncCopy second{3, Poly(0), {loads.load(Poly(8))}, {1}, {}};
    const auto made = shift.copy(first, second);
    REQUIRE(made.has_value());
    CHECK(loads.terms.at(made->values[0]).poly == Poly(0).plus(loads.round, 8));
    CHECK_FALSE(shift.copy(first, {4, Poly(0), second.values, {1}, {}}).has_value());
  }
}

}  // namespace ws::lift
