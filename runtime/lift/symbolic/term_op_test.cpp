#include "runtime/lift/symbolic/term_op.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.term_op") {
  TEST_CASE("operators, functions and the lifter's own are different operations") {
    CHECK(TermOp(ir::Operator::kSubtract) != TermOp(ir::Operator::kNegate));
    CHECK(TermOp(static_cast<ir::Op>(0)) != TermOp(static_cast<ir::Operator>(0)));
    CHECK(TermOp(OwnOp::kPackedPair) != TermOp(static_cast<ir::Op>(0)));
    CHECK(TermOp() != TermOp(static_cast<ir::Operator>(0)));
  }

  TEST_CASE("an operation is found by what CuIR calls it") {
    CHECK(find_term_op("maximum") == TermOp(ir::Op::kMaximum));
    CHECK(find_term_op("*") == TermOp(ir::Operator::kMultiply));
    CHECK(find_term_op("-") == TermOp(ir::Operator::kSubtract));
    CHECK_FALSE(find_term_op("fma"));
    CHECK_FALSE(find_term_op(""));
    CHECK(TermOp(ir::Op::kMaximum).text() == "maximum");
    CHECK(TermOp(ir::Operator::kFloorDivide).text() == "//");
    CHECK(TermOp(OwnOp::kMatrixProduct).text().empty());
    CHECK(TermOp(ir::Op::kPow).is_function());
    CHECK_FALSE(TermOp(ir::Operator::kPower).is_function());
  }

  TEST_CASE("each comparison has an opposite, which has it as its own") {
    int comparisons = 0;
    for (const ir::OperatorInfo& row : ir::all_operators()) {
      const std::optional<TermOp> opposite = negation_of(row.op);
      CHECK(opposite.has_value() == (row.kind == ir::OperatorKind::kCompare));
      comparisons += opposite ? 1 : 0;
      CHECK((!opposite || negation_of(*opposite) == TermOp(row.op)));
      // Either an ordering or its opposite holds for equal numbers.
      CHECK((!opposite || !is_ordering(row.op) ||
             holds_for_equal(row.op) != holds_for_equal(*opposite)));
    }
    CHECK(comparisons == 6);
    CHECK_FALSE(negation_of(TermOp()));
  }

  TEST_CASE("C's operators between two values have an operation, the others none") {
    CHECK(term_op_of(COperator::kRemainder) == TermOp(ir::Operator::kModulo));
    CHECK(term_op_of(COperator::kOr) == TermOp(ir::Operator::kOr));
    CHECK(term_op_of(COperator::kComma) == TermOp());
    CHECK(term_op_of(COperator::kNegate) == TermOp());
    CHECK(term_op_of(COperator::kNone) == TermOp());
  }
}

}  // namespace ws::lift
