#include "runtime/lift/symbolic/runner.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

/// Every expression has one value.
struct OneValue : Runner {
  Value value;

  Status statement(NodeId /*id*/) override { return {}; }

  Result<Value> evaluate(NodeId /*id*/) override { return value; }

  Result<ValuePlace> place(NodeId /*id*/) override { return ValuePlace(); }
};

}  // namespace

TEST_SUITE("lift.runner") {
  TEST_CASE("a number is no pointer, no struct and nothing unknown") {
    struct Case {
      std::vector<Leaf> leaves;
      const char* scalar;
      const char* number;
    };

    constexpr const char* kStruct = "a number is expected where the kernel has a struct";
    constexpr const char* kUnknown = "a value is used that is not known";
    const Case cases[] = {
        {{{5, kNone, {}}}, "", ""},
        {{{kNone, 1, {}}}, "", "a pointer is used as a number"},
        {{{}}, kUnknown, kUnknown},
        {{}, kStruct, kStruct},
        {{{5, kNone, {}}, {6, kNone, {}}}, kStruct, kStruct},
    };
    for (const Case& c : cases) {
      OneValue runner;
      runner.value.leaves = c.leaves;
      const Result<Leaf> scalar = runner.scalar(0);
      const Result<TermId> number = runner.term_of(0);
      CHECK((scalar ? "" : scalar.error().message) == c.scalar);
      CHECK((number ? "" : number.error().message) == c.number);
    }
  }
}

}  // namespace ws::lift
