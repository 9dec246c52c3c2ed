#include <cmath>

#include <doctest/doctest.h>

#include "tests/support/buffers.h"
#include "tests/survey/agreement/contents.h"
#include "tests/survey/agreement/trial.h"

namespace ws::survey {
namespace {

CompiledEntry entry_with(std::vector<EntryParam> params) {
  CompiledEntry entry;
  entry.name = "k";
  entry.params = std::move(params);
  return entry;
}

constexpr Trial kTrial{{4, 1, 1}, {64, 1, 1}, 32};

/// The contents of one buffer of some values.
Contents contents_with(DType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    store_element(type, bytes.data(), i, values[i]);
  }
  return {bytes};
}

std::string difference_of(DType type, const std::vector<double>& one,
                          const std::vector<double>& other) {
  ResolvedPlan plan;
  plan.buffers = {test::buffer_of("y", type, static_cast<std::int64_t>(one.size()))};
  return difference(plan, contents_with(type, one), contents_with(type, other));
}

}  // namespace

TEST_SUITE("survey.agreement") {
  TEST_CASE("pointers get buffers of their type, and integers the trial's number") {
    const auto plan = plan_of(entry_with({{"x", "const float *__restrict", 8, true, false},
                                          {"y", "real *", 8, true, false},
                                          {"n", "unsigned int", 4, false, true},
                                          {"a", "float", 4, false, false}}),
                              entry_with({{"", ".u64", 8, true, false},
                                          {"", "double*", 8, true, false},
                                          {"", "unsigned int", 4, false, true},
                                          {"", "float", 4, false, false}}),
                              kTrial);
    REQUIRE(plan.has_value());
    REQUIRE(plan->buffers.size() == 2);
    CHECK(plan->buffers[0].type == DType::kF32);
    CHECK(plan->buffers[1].type == DType::kF64);
    REQUIRE(plan->steps.size() == 1);
    const LaunchStep& step = plan->steps[0];
    CHECK(step.grid == kTrial.grid);
    CHECK(step.block == kTrial.block);
    REQUIRE(step.args.size() == 4);
    CHECK(step.args[1].buffer == 1);
    CHECK(step.args[2].int_value == 32);
    CHECK(step.args[3].type == DType::kF32);
  }

  TEST_CASE("a parameter that nobody can make is named") {
    const CompiledEntry entry = entry_with({{"nodes", "Node *", 8, true, false}});
    const auto plan = plan_of(entry, entry, kTrial);
    REQUIRE_FALSE(plan.has_value());
    CHECK(plan.error().message ==
          "a parameter of type `Node *` is neither a number nor a pointer to numbers");
  }

  TEST_CASE("indices lie below the trial's number, and floats between 0 and 1") {
    ResolvedPlan plan;
    plan.buffers = {test::buffer_of("i", DType::kI32, 1000),
                    test::buffer_of("x", DType::kF32, 1000)};
    const auto arena = Arena::create(plan.buffers, 1U << 20U).value();
    fill(plan, kTrial, *arena);
    for (std::size_t i = 0; i < 1000; ++i) {
      const double index = load_element(DType::kI32, arena->buffer(0).data(), i);
      const double value = load_element(DType::kF32, arena->buffer(1).data(), i);
      CHECK((index >= 0 && index < 32));
      CHECK((value > 0 && value < 1));
    }
  }

  TEST_CASE("floats may differ by rounding, and integers not at all") {
    CHECK(difference_of(DType::kF32, {1, 2, 3}, {1, 2.0001, 3}).empty());
    CHECK(difference_of(DType::kF32, {1, 2, 3}, {1, 2.01, 3}) == "y[1]: 2.000000 and 2.010000");
    CHECK(difference_of(DType::kI32, {1, 2, 3}, {1, 2, 4}) == "y[2]: 3.000000 and 4.000000");
    CHECK(difference_of(DType::kF64, {1, NAN, INFINITY}, {1, NAN, INFINITY}).empty());
    CHECK(difference_of(DType::kF64, {1, 2, 3}, {1, NAN, 3}) == "y[1]: 2.000000 and nan");
  }

  TEST_CASE("elements whose bytes changed are counted") {
    ResolvedPlan plan;
    plan.buffers = {test::buffer_of("y", DType::kF32, 3)};
    CHECK(changed(plan, contents_with(DType::kF32, {1, 2, 3}),
                  contents_with(DType::kF32, {1, 5, 6})) == 2);
  }
}

}  // namespace ws::survey
