#include "runtime/evaluate/validate/reference.h"

#include <cstring>

#include <doctest/doctest.h>

#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

constexpr const char* kProblem = R"json({
  "name": "f", "op": "f", "dims": {"n": [2048]},
  "args": [{"name": "y", "type": "u32", "shape": ["n"], "role": "out"}],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "f", "source": "unused",
                "launches": [{"entry": "f", "grid": ["1"], "block": ["1"], "args": ["y"]}]}})json";

/// Writes small numbers, but for the last `left_out` ones.
class SmallNumbers : public Reference {
 public:
  SmallNumbers(const Problem& problem, const Workload& workload, std::size_t left_out)
      : plan_(resolve_plan(problem, Kernel{}, workload, {}).value()),
        arena_(Arena::create(plan_.buffers, std::uint64_t{1} << 20U).value()),
        left_out_(left_out) {}

  [[nodiscard]] const ResolvedPlan& plan() const override { return plan_; }

  [[nodiscard]] const Arena& arena() const override { return *arena_; }

  Result<Ran> run(std::uint64_t /*seed*/, std::chrono::milliseconds /*limit*/,
                  const std::stop_token& /*stop*/) override {
    const std::span<std::byte> y = arena_->buffer(0);
    for (std::uint32_t i = 0; i < y.size() / sizeof i - left_out_; ++i) {
      const std::uint32_t number = i % 32;
      std::memcpy(y.data() + i * sizeof number, &number, sizeof number);
    }
    return Ran{};
  }

  Result<Reference*> in_f32(const std::stop_token& /*stop*/) override { return nullptr; }

 private:
  ResolvedPlan plan_;
  std::shared_ptr<Arena> arena_;
  std::size_t left_out_;
};

/// How many draws gave nothing to judge by, and the message of the last one.
struct Refused {
  int count = 0;
  std::string message;
};

Refused refused(std::size_t left_out, std::uint64_t draws) {
  const Problem problem = parse_problem(kProblem).value();
  const Workload workload = expand_workloads(problem).value().front();
  const ErrorModel model = ErrorModel::of(problem, workload).value();
  SmallNumbers reference(problem, workload, left_out);
  Refused found;
  for (std::uint64_t secret = 0; secret < draws; ++secret) {
    const auto drawn = draw(
        reference, model, {.secret = secret, .run = {}, .on_inputs = [](const Reference&) {}}, {});
    REQUIRE(drawn.has_value());
    found.count += drawn->message.empty() ? 0 : 1;
    found.message = drawn->message;
  }
  return found;
}

}  // namespace

TEST_SUITE("evaluate.reference") {
  TEST_CASE("small numbers are not taken for poison that looks like data") {
    CHECK(refused(0, 4000).count == 0);
  }

  TEST_CASE("one element that is never written is found in every draw") {
    const Refused found = refused(1, 20);
    CHECK(found.count == 20);
    CHECK(found.message == "the problem's reference left elements of `y` unwritten in 5 draws");
  }
}

}  // namespace ws
