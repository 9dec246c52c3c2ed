#include "runtime/evaluate/validate/conditioning.h"

#include <cmath>

#include <doctest/doctest.h>

#include "runtime/evaluate/validate/test_reference.h"

namespace ws {
namespace {

float steep(const FunctionReference& self, std::size_t i) {
  return 1000 * self.x(i);
}

/// Inputs as drawn, and their outputs.
void draw_once(FunctionReference& reference, const Problem& problem, const NudgeRequest& request) {
  REQUIRE(fill_inputs(problem, reference.plan(), request.distribution, request.seed,
                      request.reduction_length, reference.arena()));
  REQUIRE(reference.run(request.seed, request.limit, {}));
  reference.runs = 0;
}

NudgeRequest request_for(std::size_t output) {
  return {.seed = 7,
          .doubt = {.buffer = output, .type = DType::kF32, .reduction_length = 1, .excess = 2}};
}

}  // namespace

TEST_SUITE("tools.slacks") {
  TEST_CASE("nudged inputs move the outputs, which are then as they were") {
    const Problem problem = function_problem();
    FunctionReference reference(problem, steep);
    const NudgeRequest request = request_for(1);
    draw_once(reference, problem, request);
    const std::vector<std::byte> before = reference.outputs();
    const auto slacks = slacks_of(reference, problem, request, {});
    REQUIRE(slacks.has_value());
    CHECK(reference.runs == 5);
    REQUIRE(slacks->size() == 1);
    const std::vector<double>& rows = slacks->at(1).rows();
    REQUIRE(rows.size() == 1);
    // The largest of 64 normal numbers, times 1000, times 2 u, four times as much.
    CHECK(rows[0] > 1.5 * 1000 * 4 * 2 * unit_roundoff(DType::kF32));
    CHECK(rows[0] < 5 * 1000 * 4 * 2 * unit_roundoff(DType::kF32));
    CHECK(reference.outputs() == before);
  }

  TEST_CASE("a reference that goes wrong on nudged inputs widens nothing, and keeps its outputs") {
    const Problem problem = function_problem();
    FunctionReference reference(problem, steep);
    const NudgeRequest request = request_for(1);
    draw_once(reference, problem, request);
    const std::vector<std::byte> before = reference.outputs();
    reference.fails_at = 2;
    const auto slacks = slacks_of(reference, problem, request, {});
    REQUIRE(slacks.has_value());
    CHECK(slacks->empty());
    CHECK(reference.runs == 2);
    CHECK(reference.outputs() == before);
  }

  TEST_CASE("a row may be off by what the reference's own formula costs in f32") {
    const Problem problem = function_problem();
    const auto flat = [](const FunctionReference& /*self*/, std::size_t /*i*/) { return 1.0F; };
    FunctionReference fine(problem, flat);
    FunctionReference coarse(problem, [](const FunctionReference& self, std::size_t i) {
      return 1.0F + std::abs(self.x(i)) / 1024;
    });
    draw_once(fine, problem, request_for(1));
    CHECK(slacks_of(fine, problem, request_for(1), {}).value().at(1).rows().at(0) == 0);
    fine.coarse = &coarse;
    const double slack = slacks_of(fine, problem, request_for(1), {}).value().at(1).rows().at(0);
    CHECK(slack > 1.0 / 4096);
    CHECK(coarse.runs == 4);
    coarse.runs = 0;
    coarse.fails_at = 1;  // It says nothing then, and is not asked again.
    CHECK(slacks_of(fine, problem, request_for(1), {}).value().at(1).rows().at(0) == 0);
    CHECK(coarse.runs == 1);
  }

  TEST_CASE("a tiny row may be off by what its formula cancels in f32") {
    const Problem problem =
        function_problem(64, 64, R"({"kind": "uniform", "low": -5.6, "high": -5.4})");
    FunctionReference fine(problem, [](const FunctionReference& self, std::size_t i) {
      const double v = self.x(i);
      return static_cast<float>(0.5 * v * (1 + std::erf(v * 0.70710678118654752)));
    });
    const auto cancels = [](const FunctionReference& self, std::size_t i) {
      return 0.5F * self.x(i) * (1 + std::erf(self.x(i) * 0.70710678F));
    };
    FunctionReference coarse(problem, cancels);
    draw_once(fine, problem, request_for(1));
    draw_once(coarse, problem, request_for(1));
    const std::vector<std::byte> got = coarse.outputs();
    fine.coarse = &coarse;
    const Slacks slacks = slacks_of(fine, problem, request_for(1), {}).value();
    const auto wrong = [&](double usual) {
      return compare(fine.plan().buffers[1], got, fine.outputs(), {.rtol = 1e-5, .atol = 1e-5},
                     nullptr, {.rows = slacks.at(1).rows(), .own = {}, .usual = usual})
          .mismatches;
    };
    CHECK(wrong(0) > 32);  // A problem of nothing but such values wants a better formula.
    CHECK(wrong(1) == 0);
  }

  TEST_CASE("rows that are sums over their columns may be off by what a naive sum costs") {
    const Problem problem = function_problem();
    const auto slack_of = [&](FunctionReference::Function y) {
      FunctionReference reference(problem, std::move(y));
      draw_once(reference, problem, request_for(1));
      return slacks_of(reference, problem, request_for(1), {}).value().at(1).rows().at(0);
    };
    const auto share = [](const FunctionReference& self, std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < self.size(0); ++k) {
        sum += std::exp(static_cast<double>(self.x(k)));
      }
      return static_cast<float>(std::exp(static_cast<double>(self.x(i))) / sum);
    };
    const auto alone = [](const FunctionReference& self, std::size_t i) {
      return std::exp(self.x(i)) / 64;
    };
    CHECK(slack_of(share) > 0);
    // Eight roundings of sums of 64 terms, relative to values of about 1/64.
    const double sums = 8 * unit_roundoff(DType::kF32) * 8;
    FunctionReference reference(problem, share);
    draw_once(reference, problem, request_for(1));
    RowSlack slack(reference.plan().buffers[1], reference.arena().buffer(1));
    const double largest = largest_finite(reference.plan().buffers[1], reference.outputs());
    scale_odd_columns(reference.plan().buffers[0], reference.arena().buffer(0));
    REQUIRE(reference.run(7, std::chrono::seconds(1), {}));
    slack.add_sums(reference.outputs());
    CHECK(slack.rows().at(0) == doctest::Approx(sums * largest));
    FunctionReference plain(problem, alone);
    draw_once(plain, problem, request_for(1));
    RowSlack none(plain.plan().buffers[1], plain.arena().buffer(1));
    scale_odd_columns(plain.plan().buffers[0], plain.arena().buffer(0));
    REQUIRE(plain.run(7, std::chrono::seconds(1), {}));
    none.add_sums(plain.outputs());
    CHECK(none.rows().at(0) == 0);
  }

  TEST_CASE("other draws show the usual size of an output that shows none") {
    const Problem problem = function_problem(1, 1);
    FunctionReference reference(
        problem, [](const FunctionReference& self, std::size_t i) { return self.x(i); });
    draw_once(reference, problem, request_for(1));
    const std::vector<std::byte> before = reference.outputs();
    const auto sizes = sizes_of(reference, problem, request_for(1), {});
    REQUIRE(sizes.has_value());
    CHECK(reference.runs == 8);
    CHECK(sizes->at(1) > 0.5);
    CHECK(sizes->at(1) < 5);
    CHECK(reference.outputs() == before);
    const Problem large = function_problem();
    FunctionReference many(large, steep);
    draw_once(many, large, request_for(1));
    CHECK(sizes_of(many, large, request_for(1), {}).value().at(1) > 500);  // One row only.
    // So it is with many elements where nearly all are zeros.
    FunctionReference zeros(large, [](const FunctionReference& self, std::size_t i) {
      return i == 3 ? self.x(i) : 0.0F;
    });
    draw_once(zeros, large, request_for(1));
    CHECK(sizes_of(zeros, large, request_for(1), {}).value().at(1) > 0.5);
  }
}

}  // namespace ws
