#include "runtime/lift/write/uniform_condition.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

TEST_SUITE("lift.uniform_condition") {
  TEST_CASE("comparisons of integers that all threads share") {
    WritingBench on;
    const auto text = [&](TermId id) {
      const Result<ir::ExprId> made = uniform_condition(on.on, id);
      return made ? on.print(*made) : made.error().message;
    };
    const auto operation = [&](TermOp op, TermId left, TermId right) {
      return on.terms.operation(op, DType::kBool, {left, right});
    };
    const TermId n = on.terms.integer(on.n);
    const TermId four = on.terms.integer(Poly(4));
    const TermId less = operation(ir::Operator::kLess, n, four);
    const TermId equal = operation(ir::Operator::kEqual, n, four);
    CHECK(text(less) == "self.n < 4");
    CHECK(text(operation(ir::Operator::kAnd, operation(ir::Operator::kOr, less, equal), equal)) ==
          "(self.n < 4 or self.n == 4) and self.n == 4");
    const TermId own =
        on.terms.integer(WritingBench::by_lane([](std::int64_t lane) { return lane; }));
    CHECK(text(operation(ir::Operator::kLess, own, four)) ==
          "a block ends by a condition that depends on data");
    CHECK(text(n) == "a block ends by a condition that is not known");
  }

  TEST_CASE("a condition that stands in others twice, and those in others, is looked at once") {
    WritingBench on;
    TermId all = on.terms.operation(ir::Operator::kLess, DType::kBool,
                                    {on.terms.integer(on.n), on.terms.integer(Poly(4))});
    for (int i = 0; i < 60; ++i) {
      all = on.terms.operation(ir::Operator::kAnd, DType::kBool, {all, all});
    }
    const Result<ir::ExprId> made = uniform_condition(on.on, all);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().message == "an expression that is too large");
  }
}

}  // namespace
}  // namespace ws::lift
