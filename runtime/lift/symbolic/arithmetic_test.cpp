#include "runtime/lift/symbolic/arithmetic.h"

#include <cmath>

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

using ir::Op;
using ir::Operator;

/// Four threads, the size `self.n`, which the launch gives, and the row `i` of a loop.
struct Bench {
  Bench() {
    Argument size;
    size.kind = Argument::Kind::kInteger;
    size.integer = Poly::of(n);
    input.args.push_back(size);
  }

  TermId integer(const Poly& poly, DType type = DType::kI32) { return terms.integer(poly, type); }

  TermId thread(DType type = DType::kI32) { return integer(Poly(Lanes{0, 1, 2, 3}), type); }

  /// The polynomial of a result, by thread; "term": it is none.
  std::string made(TermOp op, TermId left, TermId right, DType type = DType::kI32) {
    const Result<TermId> id = numbers.result(op, left, right, type);
    if (!id) {
      return id.error().message;
    }
    const Term& term = terms.at(*id);
    if (term.kind != TermKind::kInteger) {
      return "term " + std::string(term.op.text());
    }
    std::string text;
    for (std::size_t lane = 0; lane < (term.poly.is_uniform() ? 1U : 4U); ++lane) {
      text += (text.empty() ? "" : ", ") + symbols.text_of(term.poly.at(lane));
    }
    return text;
  }

  Terms terms{4};
  Symbols symbols;
  LaunchInput input;
  SymbolId n = symbols.intern("self.n");
  SymbolId i = symbols.intern("i");
  Arithmetic numbers{terms, symbols, input};
};

}  // namespace

TEST_SUITE("lift.arithmetic") {
  TEST_CASE("what threads compute from their indices is known thread by thread") {
    Bench bench;
    const TermId thread = bench.thread();
    CHECK(bench.made(Operator::kMultiply, thread, bench.integer(Poly(2))) == "0, 2, 4, 6");
    CHECK(bench.made(Operator::kDivide, thread, bench.integer(Poly(2))) == "0, 0, 1, 1");
    CHECK(bench.made(Operator::kBitXor, thread, bench.integer(Poly(1))) == "1, 0, 3, 2");
    CHECK(bench.made(Operator::kShiftRight, thread, bench.integer(Poly(1))) == "0, 0, 1, 1");
    CHECK(bench.made(Op::kMinimum, thread, bench.integer(Poly(2))) == "0, 1, 2, 2");
    CHECK(bench.made(Op::kMaximum, thread, bench.integer(Poly(2))) == "2, 2, 2, 3");
  }

  TEST_CASE("sizes and indices stay symbols; a quotient of them is one more") {
    Bench bench;
    const TermId size = bench.integer(Poly::of(bench.n));
    const TermId row = bench.integer(Poly::of(bench.i));
    CHECK(bench.made(Operator::kAdd, size, row) == "self.n + i");
    CHECK(bench.made(Operator::kDivide, size, bench.integer(Poly(3))) == "((self.n) // (3))");
    CHECK(bench.made(Op::kMinimum, size, bench.integer(Poly(3))) == "min(self.n, 3)");
    // The row changes in the kernel, so its quotient has no name but in a part of one.
    CHECK(bench.made(Operator::kDivide, row, bench.integer(Poly(3))) == "term //");
    bench.numbers.begin_part();
    CHECK(bench.made(Operator::kDivide, row, bench.integer(Poly(3))) == "((i) // (3))");
  }

  TEST_CASE("a choice that is known for each thread is an integer, and so is one that rounds up") {
    Bench bench;
    const auto chosen = [&](TermId condition, TermId yes, TermId no) {
      const std::optional<TermId> made = bench.numbers.chosen(condition, yes, no, DType::kI32);
      return made ? bench.made(Operator::kAdd, *made, bench.integer(Poly(0))) : "nothing";
    };
    const TermId two = bench.integer(Poly(2));
    const TermId zero = bench.integer(Poly(0));
    const TermId size = bench.integer(Poly::of(bench.n));
    const TermId low = *bench.numbers.result(Operator::kLess, bench.thread(), two, DType::kBool);
    CHECK(chosen(low, size, zero) == "self.n, self.n, 0, 0");
    const auto divided = [&](Operator op, std::int64_t by) {
      return *bench.numbers.result(op, size, bench.integer(Poly(by)), DType::kI32);
    };
    const auto plus_one = [&](TermId id) {
      return *bench.numbers.result(Operator::kAdd, id, bench.integer(Poly(1)), DType::kI32);
    };
    const TermId ragged = *bench.numbers.result(Operator::kNotEqual, divided(Operator::kModulo, 3),
                                                zero, DType::kBool);
    const TermId whole = divided(Operator::kDivide, 3);
    CHECK(chosen(ragged, plus_one(whole), whole) == "((self.n + 2) // (3))");
    // A choice that rounds nothing up is a number by its condition, which is 0 or 1.
    CHECK(chosen(ragged, whole, plus_one(whole)) ==
          "((self.n) // (3)) - int(((self.n) % (3)) != 0) + 1");
    const TermId other = divided(Operator::kDivide, 5);
    CHECK(chosen(ragged, plus_one(other), other) ==
          "int(((self.n) % (3)) != 0) + ((self.n) // (5))");
  }

  TEST_CASE("bits of a number that depends on data are refused") {
    Bench bench;
    Term load;
    load.kind = TermKind::kLoad;
    load.type = DType::kI32;
    const TermId data = bench.terms.add(load);
    CHECK(bench.made(Operator::kAdd, data, bench.thread()) == "term +");
    CHECK(bench.made(Operator::kBitXor, data, bench.thread()) ==
          "`^` of integers that depend on data");
    CHECK(bench.made(Operator::kModulo, data, bench.thread()) ==
          "`%` of integers that depend on data");
  }

  TEST_CASE("a comparison is known for each thread, and its opposite holds elsewhere") {
    Bench bench;
    const Result<TermId> first =
        bench.numbers.result(Operator::kLess, bench.thread(), bench.integer(Poly(2)), DType::kI32);
    REQUIRE(first);
    CHECK(bench.numbers.truth_of(*first) == Lanes{1, 1, 0, 0});
    CHECK(bench.numbers.truth_of(bench.numbers.negated(*first)) == Lanes{0, 0, 1, 1});
    const Result<TermId> edge =
        bench.numbers.result(Operator::kLess, bench.integer(Poly::of(bench.i)),
                             bench.integer(Poly::of(bench.n)), DType::kI32);
    REQUIRE(edge);
    CHECK_FALSE(bench.numbers.truth_of(*edge));
    // not (a and b) is (not a) or (not b).
    const TermId either = bench.numbers.negated(bench.numbers.joined(*first, *edge, true));
    CHECK(bench.terms.at(either).op == TermOp(Operator::kOr));
    CHECK(bench.terms.at(bench.terms.at(either).args[1]).op == TermOp(Operator::kGreaterEqual));
    // A condition that stands in others twice, and those in others, is looked at once.
    TermId all = *edge;
    for (int i = 0; i < 60; ++i) {
      all = bench.terms.operation(Operator::kAnd, DType::kBool, {all, all});
    }
    CHECK(bench.terms.at(bench.numbers.negated(all)).op == TermOp(Operator::kOr));
  }

  TEST_CASE("an unsigned number that may have wrapped is only added, subtracted and multiplied") {
    Bench bench;
    const DType type = DType::kU32;
    const TermId below = bench.integer(Poly(Lanes{-1, 0, 1, 2}), type);
    const TermId two = bench.integer(Poly(2), type);
    CHECK(bench.made(Operator::kAdd, below, two, type) == "1, 2, 3, 4");
    CHECK(bench.made(Operator::kDivide, below, two, type) ==
          "`/` of an unsigned number that may have wrapped");
    const Result<TermId> less = bench.numbers.compare_unsigned(Operator::kLess, below, two, type);
    REQUIRE(less);
    CHECK(bench.numbers.truth_of(*less) == Lanes{0, 1, 1, 0});
    const TermId row = bench.integer(Poly::of(bench.i).times(Poly(-1)), type);
    const Result<TermId> both = bench.numbers.compare_unsigned(Operator::kGreater, row, row, type);
    REQUIRE_FALSE(both);
    CHECK(both.error().message == "`>` of two unsigned numbers that may have wrapped");
    const Result<TermId> real = bench.numbers.as_unsigned(row, type, DType::kF32);
    REQUIRE_FALSE(real);
    CHECK(real.error().message == "an unsigned number that may have wrapped becomes a float");
  }

  TEST_CASE("quotients and shifts of numbers below zero are those of C") {
    Bench bench;
    const TermId some = bench.integer(Poly(Lanes{-4, -3, 3, 4}));
    const TermId three = bench.integer(Poly(3));
    CHECK(bench.made(Operator::kDivide, some, three, DType::kI32) == "-1, -1, 1, 1");
    CHECK(bench.made(Operator::kModulo, some, three, DType::kI32) == "-1, 0, 0, 1");
    CHECK(bench.made(Operator::kShiftRight, some, bench.integer(Poly(1)), DType::kI32) ==
          "-2, -2, 1, 2");
    const TermId below = bench.integer(Poly::of(bench.i).plus(Poly(-5)));
    CHECK(bench.made(Operator::kDivide, three, below, DType::kI32) ==
          "`/` by a number that may be less than zero");
    const Result<TermId> choice =
        bench.numbers.result(Operator::kDivide, below, three, DType::kI32);
    REQUIRE(choice);
    CHECK(bench.terms.at(*choice).op == TermOp(Op::kWhere));
  }

  TEST_CASE("a number changes its type only where that changes what it is") {
    Bench bench;
    const TermId three = bench.integer(Poly(3));
    CHECK(bench.numbers.converted(three, DType::kI32) == three);
    CHECK(bench.terms.at(bench.numbers.converted(three, DType::kF32)).number == 3);
    CHECK(bench.terms.at(bench.numbers.converted(bench.thread(), DType::kF32)).op ==
          TermOp(Op::kCast));
    // As halves 0 is what it was, another number may not be.
    const auto half = [&](double value) {
      return bench.terms.at(
          bench.numbers.converted(bench.terms.number(value, DType::kF32), DType::kF16));
    };
    CHECK(half(0.0).kind == TermKind::kNumber);
    CHECK(half(0.0).type == DType::kF16);
    CHECK(std::signbit(half(-0.0).number));
    CHECK(half(0.1).number == 0.0999755859375);
    CHECK(bench.numbers.truth_of(bench.numbers.converted(bench.thread(), DType::kBool)) ==
          Lanes{0, 1, 1, 1});
  }

  TEST_CASE("of a number whose parity is known, quotients and remainders are") {
    Bench bench;
    const TermId next = bench.integer(Poly::of(bench.i).plus(Poly(1)));
    bench.numbers.assume(bench.i, 2, 1);
    CHECK(bench.made(Operator::kModulo, next, bench.integer(Poly(2))) == "0");
    CHECK(bench.made(Operator::kBitAnd, bench.integer(Poly::of(bench.i)), bench.integer(Poly(1))) ==
          "1");
    const TermId before = bench.integer(Poly::of(bench.i).plus(Poly(-2)));
    CHECK(bench.made(Operator::kModulo, before, bench.integer(Poly(2))) == "1");
    CHECK(bench.made(Operator::kBitAnd, before, bench.integer(Poly(1))) == "1");
    // The residue modulo 3 does not follow from the parity.
    CHECK(bench.made(Operator::kModulo, next, bench.integer(Poly(3))) == "term %");
    // n - 1 is even, so that n is odd.
    bench.numbers.assume_of(Poly::of(bench.n).plus(Poly(-1)), 2, 0);
    CHECK(bench.made(Operator::kModulo, bench.integer(Poly::of(bench.n)), bench.integer(Poly(2))) ==
          "1");
  }

  TEST_CASE("a choice by what the launch has in common is a number") {
    Bench bench;
    const SymbolId block = bench.symbols.intern("blockIdx.z");
    const auto chosen = [&](TermOp op, const Poly& left, std::int64_t right) -> std::string {
      const Result<TermId> condition =
          bench.numbers.result(op, bench.integer(left), bench.integer(Poly(right)), DType::kBool);
      const auto made = bench.numbers.chosen(*condition, bench.integer(Poly::of(bench.n)),
                                             bench.integer(Poly(3)), DType::kI32);
      return made ? bench.symbols.text_of(bench.terms.at(*made).poly) : "none";
    };
    const Result<TermId> parity = bench.numbers.result(
        Operator::kModulo, bench.integer(Poly::of(block)), bench.integer(Poly(2)), DType::kI32);
    CHECK(chosen(Operator::kNotEqual, bench.terms.at(*parity).poly, 0) ==
          "self.n * ((blockIdx.z) % (2)) - ((blockIdx.z) % (2)) * 3 + 3");
    CHECK(chosen(Operator::kLess, Poly::of(block), 4) ==
          "self.n * int(blockIdx.z < 4) - int(blockIdx.z < 4) * 3 + 3");
    CHECK(chosen(Operator::kLess, Poly::of(bench.i), 4) == "none");
  }
}

}  // namespace ws::lift
