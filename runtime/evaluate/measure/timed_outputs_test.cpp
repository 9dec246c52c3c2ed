#include "runtime/evaluate/measure/timed_outputs.h"

#include <limits>

#include <doctest/doctest.h>

#include "runtime/kernel/form/forms.h"

namespace ws {
namespace {

constexpr const char* kProblem = R"json({
  "name": "scale", "op": "scale", "dims": {"n": [1600]},
  "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
           {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "scale",
    "source": "__global__ void scale(const float* x, float* y, int n) {}\n",
    "launches": [{"entry": "scale", "grid": ["1"], "block": ["1"], "args": ["x", "y", "n"]}]}})json";

const Workload kWorkload{{{"n", 1600}}, {}};

constexpr const char* kCompaction = R"json({
  "name": "keep", "op": "keep", "dims": {"n": [1600]},
  "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
           {"name": "y", "type": "f32", "shape": ["n"], "role": "out",
            "unordered": {"count": "found"}},
           {"name": "found", "type": "i32", "shape": [1], "role": "inout", "fill": "zeros"}],
  "reference": {"kind": "first_kernel"}})json";

/// A launch of the compaction: y and found.
std::shared_ptr<Arena> kept(const ResolvedPlan& plan, const std::vector<double>& values) {
  Result<std::shared_ptr<Arena>> arena = Arena::create(plan.buffers, std::uint64_t{1} << 20U);
  REQUIRE(arena.has_value());
  for (std::size_t i = 0; i < 1600; ++i) {  // Values that do not count may be anything.
    const double rest = std::numeric_limits<double>::quiet_NaN();
    store_element(DType::kF32, (*arena)->buffer(1).data(), i, i < values.size() ? values[i] : rest);
  }
  store_element(DType::kI32, (*arena)->buffer(2).data(), 0, static_cast<double>(values.size()));
  return *arena;
}

OutputDigest digest(double signed_sum) {
  OutputDigest made{.launch = 0, .buffer = 1};
  for (OutputDigest::Part& part : made.parts) {
    part = {.signed_sum = signed_sum, .squares = 100};
  }
  return made;
}

}  // namespace

TEST_SUITE("measure.timed_outputs") {
  TEST_CASE("launches whose digests differ are a finding that names the output") {
    const auto problem = parse_problem(kProblem);
    REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
    const auto plan = resolve_plan(*problem, *problem->reference, kWorkload, {});
    REQUIRE(plan.has_value());
    TimedOutputs outputs(*problem, *plan, kWorkload, std::nullopt);
    REQUIRE(outputs.compare_digests({digest(3), digest(-4)}, {digest(3), digest(-4)}));
    CHECK(outputs.problem_found() == "");
    REQUIRE(outputs.compare_digests({digest(3), digest(-4)}, {digest(3), digest(-5)}));
    CHECK(outputs.problem_found() ==
          "in a timed launch, output `y` as a whole differs from the baseline's on the same "
          "inputs");
    const Status unequal = outputs.compare_digests({digest(3)}, {});
    REQUIRE_FALSE(unequal.has_value());
    CHECK(unequal.error().message == "the sides of a measurement took 1 and 0 digests");
  }

  TEST_CASE("rows without order are compared as rows, and their digests are not") {
    const auto problem = parse_problem(kCompaction);
    REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
    const auto plan = resolve_plan(*problem, Kernel{}, kWorkload, {});
    REQUIRE(plan.has_value());
    const auto baseline = kept(*plan, {1, 2, 3});
    TimedOutputs outputs(*problem, *plan, kWorkload, std::nullopt);
    const auto judged = [&](const std::vector<double>& rows, Distribution distribution) {
      return outputs.compare(*kept(*plan, rows), *baseline, distribution).value_or(false);
    };
    CHECK(judged({3, 1, 2}, Distribution::kNormalRowScale));
    REQUIRE(outputs.compare_digests({digest(3)}, {digest(-3)}));
    outputs.compare_lone();
    CHECK(outputs.problem_found() == "");
    CHECK(judged({3, 1, 1}, Distribution::kDeclared));
    CHECK(outputs.problem_found() ==
          "in a timed launch, output `y` has other rows than the baseline's");
  }
}

}  // namespace ws
