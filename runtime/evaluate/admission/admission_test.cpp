#include "runtime/evaluate/admission/admission.h"

#include <doctest/doctest.h>

#include "runtime/evaluate/validate/test_reference.h"

namespace ws {
namespace {

Result<std::optional<Weaknesses>> examined(const Problem& problem,
                                           const FunctionReference::Function& y, int fails_at = 0) {
  const ReferenceOpener open = [&](const Workload& /*workload*/) {
    auto reference = std::make_unique<FunctionReference>(problem, y);
    reference->fails_at = fails_at;
    return Result<std::unique_ptr<Reference>>(std::move(reference));
  };
  return find_weaknesses(problem, expand_workloads(problem).value(), open, 7, {});
}

Weaknesses found(const Problem& problem, const FunctionReference::Function& y) {
  const auto result = examined(problem, y);
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : to_text(result.error())));
  REQUIRE(result->has_value());
  return **result;
}

float twice(const FunctionReference& self, std::size_t i) {
  return 2 * self.x(i);
}

}  // namespace

TEST_SUITE("evaluate.admission") {
  TEST_CASE("a sound problem has no weakness") {
    CHECK(found(function_problem(), twice) == Weaknesses{});
    CHECK(found(function_problem(64, 1), [](const FunctionReference& self, std::size_t /*i*/) {
            float sum = 0;
            for (std::size_t i = 0; i < self.size(0); ++i) {
              sum += self.x(i);
            }
            return sum;
          }) == Weaknesses{});
  }

  TEST_CASE("answers that need no work are named") {
    CHECK(found(function_problem(), [](const FunctionReference& self, std::size_t i) {
            return self.x(i);
          }) == Weaknesses{"a copy of `x` would pass as `y`"});
    CHECK(found(function_problem(),
                [](const FunctionReference& /*self*/, std::size_t /*i*/) { return 1.0F; }) ==
          Weaknesses{"ones would pass as `y`", "one number for all elements would pass as `y`",
                     "the results for other inputs would pass as `y`",
                     "`x` does not change its results"});
    CHECK(found(function_problem(), [](const FunctionReference& /*self*/,
                                       std::size_t i) { return static_cast<float>(i); }) ==
          Weaknesses{"the results for other inputs would pass as `y`",
                     "`x` does not change its results"});
  }

  TEST_CASE("an input that never varies says nothing about kernels that ignore it") {
    CHECK(found(function_problem(64, 64, R"("ones")"), twice) ==
          Weaknesses{"one number for all elements would pass as `y`",
                     "the results for other inputs would pass as `y`",
                     "`x` always has the same values"});
  }

  TEST_CASE("a reference that gives other results each time is named") {
    int runs = 0;
    CHECK(found(function_problem(), [&runs](const FunctionReference& self, std::size_t i) {
            runs += i == 0 ? 1 : 0;
            return 2 * self.x(i) + static_cast<float>(runs);
          }) == Weaknesses{"its reference gives different `y` for the same inputs"});
  }

  TEST_CASE("one disturbed run of a reference does not condemn its problem") {
    for (const int disturbed : {6, 7}) {  // The draws before are five runs.
      int runs = 0;
      const auto reference = [&](const FunctionReference& self, std::size_t i) {
        runs += i == 0 ? 1 : 0;
        return 2 * self.x(i) + (runs == disturbed ? 1.0F : 0.0F);
      };
      CHECK(found(function_problem(), reference) == Weaknesses{});
    }
  }

  TEST_CASE("a tolerance that accepts nearly anything is named") {
    CHECK(found(function_problem(64, 64, R"("normal")", R"("tolerance": {"rtol": 0.2},)"), twice) ==
          Weaknesses{"the tolerance of `y` is larger than 0.1"});
    // Zeros would pass but for whole numbers, which are compared bit for bit.
    CHECK(found(function_problem(64, 64, R"("normal")", R"("tolerance": {"atol": 1e30},)"),
                twice) == Weaknesses{"the tolerance of `y` is larger than 0.1"});
  }

  TEST_CASE("a reference that cannot be used is not examined") {
    const auto result = examined(function_problem(), twice, /*fails_at=*/2);
    REQUIRE(result.has_value());
    CHECK_FALSE(result->has_value());
  }
}

}  // namespace ws
