#include "runtime/evaluate/measure/timed_outputs.h"

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
}

}  // namespace ws
