#include "runtime/lift/symbolic/bits.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.bits") {
  TEST_CASE("a number has the parts that it was made of, and a zero has zeros of any type") {
    Terms terms(1);
    const TermId low = terms.number(1, DType::kF16);
    const TermId high = terms.number(2, DType::kF16);
    const TermId both = terms.operation(OwnOp::kBits, DType::kU32, {low, high});
    CHECK(bit_parts(terms, both, 2, DType::kF16) == std::vector<TermId>{low, high});
    const auto zeros = bit_parts(terms, terms.integer(Poly(0)), 2, DType::kBf16);
    REQUIRE(zeros.has_value());
    REQUIRE(zeros->size() == 2);
    CHECK(terms.at(zeros->front()).type == DType::kBf16);

    struct Case {
      TermId number;
      std::size_t parts;
      DType type;
      const char* error;
    };

    const Case cases[] = {
        {both, 4, DType::kF16, "a number of 4 bytes is written over 4 of 2"},
        {both, 2, DType::kBf16, "a number of 4 bytes is written over 2 of 2"},
        {terms.number(-0.0, DType::kF32), 2, DType::kF16,
         "a number of 4 bytes is written over 2 of 2"},
    };
    for (const Case& c : cases) {
      const auto parts = bit_parts(terms, c.number, c.parts, c.type);
      REQUIRE_FALSE(parts.has_value());
      CHECK(parts.error().message == c.error);
    }
  }

  TEST_CASE("a cleared register is read as a float, other bits are not") {
    Terms terms(1);
    const auto cleared = as_real(terms, {terms.integer(Poly(0)), kNone, {}}, DType::kF32, "x");
    REQUIRE(cleared.has_value());
    CHECK(terms.at(cleared->term).kind == TermKind::kNumber);
    const Leaf five{terms.integer(Poly(5)), kNone, {}};
    CHECK(as_real(terms, five, DType::kI32, "x") == five);
    for (const TermId other : {five.term, terms.number(1, DType::kF16)}) {
      const auto read =
          as_real(terms, {other, kNone, {}}, other == five.term ? DType::kF32 : DType::kBf16, "x");
      REQUIRE_FALSE(read.has_value());
      CHECK(read.error().message == "bits of `x` are read as a float");
    }
  }

  TEST_CASE("a variable has as many slots as its scalars have parts") {
    Terms terms(1);
    const TermId half = terms.number(1, DType::kF16);
    const TermId pair = terms.operation(OwnOp::kBits, DType::kU32, {half, half});
    const TermId mixed =
        terms.operation(OwnOp::kBits, DType::kU32, {half, terms.number(1, DType::kBf16)});
    Object variable;
    variable.leaves.resize(3);
    CHECK(count_slots(variable) == 3);
    variable.slots = {slot_of(terms, {pair, kNone, {}}), slot_of(terms, {mixed, kNone, {}}),
                      slot_of(terms, {})};
    CHECK(count_slots(variable) == 4);
    CHECK(variable.slots[0].type == DType::kF16);
    CHECK_FALSE(variable.slots[1].type.has_value());
  }
}

}  // namespace ws::lift
