#include "runtime/lift/tree/operators.h"

#include <doctest/doctest.h>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {

TEST_SUITE("lift.tree") {
  TEST_CASE("an operator is found by its text and form, and by no other") {
    for (int i = 0; i < static_cast<int>(COperator::kNone); ++i) {
      const auto op = static_cast<COperator>(i);
      const bool prefix = find_operator(text_of(op), OperatorForm::kPrefix) == op;
      const bool postfix = find_operator(text_of(op), OperatorForm::kPostfix) == op;
      CHECK((prefix || postfix || find_operator(text_of(op), OperatorForm::kBinary) == op));
      CHECK(is_step(op) == (text_of(op) == "++" || text_of(op) == "--"));
    }
    CHECK(find_operator("-", OperatorForm::kBinary) == COperator::kSubtract);
    CHECK(find_operator("-", OperatorForm::kPrefix) == COperator::kNegate);
    CHECK_FALSE(find_operator("<=>", OperatorForm::kBinary));
    CHECK_FALSE(find_operator("*", OperatorForm::kPrefix));
    CHECK_FALSE(find_operator("", OperatorForm::kBinary));
  }

  TEST_CASE("a step computes with an operator, and an assignment shows the one it has") {
    CHECK(step_operator(COperator::kIncrementAfter) == COperator::kAdd);
    CHECK(step_operator(COperator::kDecrement) == COperator::kSubtract);
    CHECK(step_operator(COperator::kShiftLeft) == COperator::kShiftLeft);
    Node node;
    node.kind = NodeKind::kAssign;
    CHECK(is_plain_assignment(node));
    CHECK(operator_text(node) == "=");
    node.op = COperator::kShiftLeft;
    CHECK_FALSE(is_plain_assignment(node));
    CHECK(operator_text(node) == "<<=");
    node.kind = NodeKind::kBinary;
    CHECK(operator_text(node) == "<<");
  }

  TEST_CASE("an index is named by its variable and axis") {
    Node node;
    node.kind = NodeKind::kBuiltin;
    node.builtin = Builtin::kGridDim;
    node.value = 2;
    CHECK(builtin_text(node) == "gridDim.z");
  }
}

}  // namespace ws::lift
