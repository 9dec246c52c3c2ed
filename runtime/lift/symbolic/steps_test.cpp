#include "runtime/lift/symbolic/steps.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.steps") {
  TEST_CASE("a run ends after so many steps") {
    const TimeBudget unlimited;
    const Terms terms(1);
    Steps steps(unlimited, terms);
    for (std::size_t i = 0; i < Steps::kMost; ++i) {
      if (!steps.take()) {
        FAIL("step " << i);
      }
    }
    const Status last = steps.take();
    REQUIRE_FALSE(last.has_value());
    CHECK(last.error().message == "the kernel takes too many steps");
  }

  TEST_CASE("a run ends where a value has too long a chain of terms below it") {
    const TimeBudget unlimited;
    Terms terms(1);
    TermId last = terms.number(1, DType::kF32);
    for (int i = 0; i <= Steps::kMostDepth; ++i) {
      last = terms.operation(ir::Operator::kNegate, DType::kF32, {last});
    }
    Steps steps(unlimited, terms);
    Status done;
    for (int i = 0; i < 100 && done; ++i) {  // Chains are looked at now and then.
      done = steps.take();
    }
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().message == "a value is computed in more than 5000 steps");
  }

  TEST_CASE("a run is where it was told last") {
    const TimeBudget unlimited;
    const Terms terms(1);
    Steps steps(unlimited, terms);
    Range range;
    range.line = 7;
    steps.enter(range);
    CHECK(steps.where().line == 7);
  }
}

}  // namespace ws::lift
