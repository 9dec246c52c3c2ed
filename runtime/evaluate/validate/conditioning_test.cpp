#include "runtime/evaluate/validate/conditioning.h"

#include <doctest/doctest.h>

#include "runtime/judge/layout.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

constexpr const char* kProblem = R"json({
  "name": "steep", "op": "steep", "dims": {"n": [64]},
  "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in", "fill": "normal"},
           {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "f", "source": "unused",
                "launches": [{"entry": "f", "grid": ["1"], "block": ["1"], "args": ["x", "y"]}]}})json";

/// y = 1000 x, on the host.
class Steep : public Reference {
 public:
  explicit Steep(const Problem& problem) {
    const std::vector<Workload> all = expand_workloads(problem).value();
    plan_ = resolve_plan(problem, Kernel{}, all.front(), {}).value();
    arena_ = Arena::create(plan_.buffers, std::uint64_t{1} << 20U).value();
  }

  [[nodiscard]] const ResolvedPlan& plan() const override { return plan_; }

  [[nodiscard]] const Arena& arena() const override { return *arena_; }

  Result<Ran> run(std::uint64_t /*seed*/, std::chrono::milliseconds /*limit*/,
                  const std::stop_token& /*stop*/) override {
    if (++runs == fails_at) {
      return Ran{"it went wrong", 0};
    }
    const std::span<std::byte> x = arena_->buffer(0);
    const std::span<std::byte> y = arena_->buffer(1);
    for (std::size_t i = 0; i < 64; ++i) {
      store_element(DType::kF32, y.data(), i, 1000 * load_element(DType::kF32, x.data(), i));
    }
    return Ran{};
  }

  [[nodiscard]] std::vector<std::byte> outputs() const {
    const std::span<const std::byte> y = arena_->buffer(1);
    return {y.begin(), y.end()};
  }

  int runs = 0;
  int fails_at = 0;

 private:
  ResolvedPlan plan_;
  std::shared_ptr<Arena> arena_;
};

/// Inputs as drawn, and their outputs.
void draw_once(Steep& reference, const Problem& problem, const NudgeRequest& request) {
  REQUIRE(fill_inputs(problem, reference.plan(), request.distribution, request.seed,
                      request.reduction_length, reference.arena()));
  REQUIRE(reference.run(request.seed, request.limit, {}));
  reference.runs = 0;
}

}  // namespace

TEST_SUITE("tools.slacks") {
  TEST_CASE("nudged inputs move the outputs, which are then as they were") {
    const Problem problem = parse_problem(kProblem).value();
    Steep reference(problem);
    const NudgeRequest request{.seed = 7, .doubt = {DType::kF32, 1, 2}};
    draw_once(reference, problem, request);
    const std::vector<std::byte> before = reference.outputs();
    const auto slacks = slacks_of(reference, problem, request, {});
    REQUIRE(slacks.has_value());
    CHECK(reference.runs == 4);
    REQUIRE(slacks->size() == 1);
    const std::vector<double>& rows = slacks->at(1).rows();
    REQUIRE(rows.size() == 1);
    // The largest of 64 normal numbers, times 1000, times 2 u, four times as much.
    CHECK(rows[0] > 1.5 * 1000 * 4 * 2 * unit_roundoff(DType::kF32));
    CHECK(rows[0] < 5 * 1000 * 4 * 2 * unit_roundoff(DType::kF32));
    CHECK(reference.outputs() == before);
  }

  TEST_CASE("a reference that goes wrong on nudged inputs widens nothing, and keeps its outputs") {
    const Problem problem = parse_problem(kProblem).value();
    Steep reference(problem);
    const NudgeRequest request{.seed = 7, .doubt = {DType::kF32, 1, 2}};
    draw_once(reference, problem, request);
    const std::vector<std::byte> before = reference.outputs();
    reference.fails_at = 2;
    const auto slacks = slacks_of(reference, problem, request, {});
    REQUIRE(slacks.has_value());
    CHECK(slacks->empty());
    CHECK(reference.runs == 2);
    CHECK(reference.outputs() == before);
  }
}

}  // namespace ws
