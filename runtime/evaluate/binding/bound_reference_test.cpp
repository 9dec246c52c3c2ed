#include "runtime/evaluate/binding/bound_reference.h"

#include <doctest/doctest.h>

#include "runtime/evaluate/validate/test_reference.h"

namespace ws {
namespace {

constexpr std::size_t kLeft = 3;

/// The message of a run of a reference that leaves one element as it was in its first `runs` runs.
std::string message_of(int runs) {
  const Problem problem = function_problem();
  auto other = std::make_unique<FunctionReference>(problem, [runs](const FunctionReference& self,
                                                                   std::size_t i) {
    const bool leaves = i == kLeft && self.runs <= runs;
    return leaves ? static_cast<float>(load_element(DType::kF32, self.arena().buffer(1).data(), i))
                  : 2 * self.x(i);
  });
  const Workload workload = expand_workloads(problem).value().front();
  const Binding binding = complete_binding(problem, problem, {}).value();
  const auto bound = bound_to(problem, binding, workload, std::move(other));
  REQUIRE(bound.has_value());
  // 1, 2, 3, ...
  for (std::size_t i = 0; i < 64; ++i) {
    store_element(DType::kF32, (*bound)->arena().buffer(0).data(), i, static_cast<double>(i + 1));
  }
  const auto ran = (*bound)->run(7, std::chrono::milliseconds(1000), {});
  REQUIRE(ran.has_value());
  if (ran->message.empty()) {
    CHECK(load_element(DType::kF32, (*bound)->arena().buffer(1).data(), kLeft) == 2 * (kLeft + 1));
  }
  return ran->message;
}

}  // namespace

TEST_SUITE("evaluate.bound_reference") {
  TEST_CASE("an element that equals its poison once by chance is written, one that stays is not") {
    CHECK(message_of(0).empty());
    CHECK(message_of(1).empty());
    CHECK(message_of(2) == "it left elements of `y` unwritten");
  }
}

}  // namespace ws
