#include "runtime/lift/symbolic/variables.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// The value that a thread has in a variable's first scalar.
Ref value_of(RunParts& on, ObjectId variable, std::int32_t lane) {
  return on.terms.resolve({on.objects.at(variable).leaves.front().term, lane});
}

std::string store_first(RunParts& on, ObjectId variable, TermId value) {
  return RunParts::error_of(on.memory.variables().store(variable, Poly(0), {value, kNone, {}}, {}));
}

}  // namespace

TEST_SUITE("lift.variables") {
  TEST_CASE("a store by some threads leaves the others what they had") {
    RunParts on;
    const ObjectId x = on.declare_x(RunParts::kFloat);
    const TermId one = on.number(1);
    const TermId two = on.number(2);
    REQUIRE(store_first(on, x, one).empty());
    on.guards.keep({0, 1, 1, 1});
    REQUIRE(store_first(on, x, two).empty());
    CHECK(value_of(on, x, 0).term == one);
    CHECK(value_of(on, x, 1).term == two);
  }

  TEST_CASE(
      "a store under a condition is a choice, but not for a variable that is declared there") {
    RunParts on;
    const ObjectId outer = on.declare_x(RunParts::kFloat);
    const TermId one = on.number(1);
    const TermId two = on.number(2);
    REQUIRE(store_first(on, outer, one).empty());
    const TermId condition = on.small(3);
    on.guards.mask(condition);
    REQUIRE(store_first(on, outer, two).empty());
    const Term& choice = on.terms.at(on.objects.at(outer).leaves.front().term);
    CHECK(choice.op == ir::Op::kWhere);
    CHECK(choice.args == std::vector<TermId>{condition, two, one});
    const ObjectId inner = on.declare_x(RunParts::kFloat);
    REQUIRE(store_first(on, inner, one).empty());
    REQUIRE(store_first(on, inner, two).empty());
    CHECK(on.objects.at(inner).leaves.front().term == two);
  }

  TEST_CASE("integers of some threads are one number for each") {
    RunParts on;
    const ObjectId x = on.declare_x(RunParts::kWord);
    REQUIRE(store_first(on, x, on.terms.integer(Poly(5))).empty());
    on.guards.keep({0, 0, 1, 1});
    REQUIRE(store_first(on, x, on.terms.integer(Poly(7))).empty());
    CHECK(on.terms.at(on.objects.at(x).leaves.front().term).poly == Poly(Lanes{5, 5, 7, 7}));
  }

  TEST_CASE("a choice of pointers, a place between scalars and what is not known are refused") {
    RunParts on;
    const ObjectId x = on.declare_x(RunParts::kFloat);
    Variables& variables = on.memory.variables();
    CHECK(RunParts::error_of(variables.load(x, Poly(0))) ==
          "`x` is read where its value is not known");
    CHECK(RunParts::error_of(variables.load(x, Poly(2))) ==
          "`x` is indexed by something that is not known");
    CHECK(RunParts::error_of(variables.store(x, Poly(4), {on.number(1), kNone, {}}, {})) ==
          "`x` is indexed by something that is not known");
    REQUIRE(variables.store(x, Poly(0), {kNone, RunParts::kIn, {}}, {}));
    on.guards.keep({0, 1, 1, 1});
    CHECK(store_first(on, x, on.number(1)) == "`x` points to other things in some threads");
  }

  TEST_CASE("halves are written to a register and read from it one by one") {
    RunParts on;
    const ObjectId x = on.declare_x(RunParts::kWord);
    Variables& variables = on.memory.variables();
    const Variables::Slice slice = variables.slice_at(on.objects.at(x), Poly(2));
    CHECK(slice.bytes == 4);
    CHECK(slice.begin == 0);
    CHECK(variables.slice_at(on.objects.at(x), Poly::of(on.symbols.intern("i"))).bytes == 0);
    const TermId low = on.terms.number(1, DType::kF16);
    const TermId high = on.terms.number(2, DType::kF16);
    const ValuePlace first{x, Poly(0), RunParts::kHalf};
    const ValuePlace second{x, Poly(2), RunParts::kHalf};
    REQUIRE(variables.store_part(first, slice, low, {}));
    REQUIRE(variables.store_part(second, slice, high, {}));
    CHECK(on.terms.at(on.objects.at(x).leaves.front().term).args == std::vector<TermId>{low, high});
    const Result<Leaf> read = variables.load_part(second, slice, RunParts::kHalf);
    REQUIRE(read.has_value());
    CHECK(read->term == high);
    const ValuePlace between{x, Poly(1), RunParts::kHalf};
    CHECK(RunParts::error_of(variables.load_part(between, slice, RunParts::kHalf)) ==
          "`x` is read by parts of its numbers");
    CHECK(RunParts::error_of(variables.store_part(between, slice, low, {})) ==
          "`x` is written by parts of its numbers");
  }
}

}  // namespace ws::lift
