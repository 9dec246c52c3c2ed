#include "runtime/evaluate/measure/worst_inputs.h"

#include <array>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/bench/statistics.h"

namespace ws {
namespace {

constexpr Distribution kOthers[] = {Distribution::kDeclared, Distribution::kNormalRowScale,
                                    Distribution::kUniform};

struct Blocks {
  std::vector<Distribution> drawn;
  PairedResult times;
};

/// Runs of five blocks of each distribution in turn. @param ratio  Of each distribution's blocks.
Blocks blocks(int runs, const std::array<double, 3>& ratio) {
  Blocks made;
  for (int i = 0; i < 5 * runs; ++i) {
    const auto which = static_cast<std::size_t>(i / 5 % 3);
    const double noise = 1 + 0.002 * (i % 5 - 2);
    made.drawn.push_back(kOthers[which]);
    made.times.kernel_us.push_back(100 / ratio[which]);
    made.times.baseline_us.push_back(100 * noise);
    made.times.log_ratios.push_back(std::log(ratio[which] * noise));
  }
  made.times.ratio = std::exp(median(made.times.log_ratios));
  const Interval interval = bootstrap_median(made.times.log_ratios);
  made.times.ratio_ci = {std::exp(interval.low), std::exp(interval.high)};
  return made;
}

}  // namespace

TEST_SUITE("measure.worst_inputs") {
  TEST_CASE("a kernel that is fast on one distribution only is as fast as on the others") {
    // Three in six draws, or a third of them.
    for (const int runs : {2, 3, 4, 7, 12}) {
      CAPTURE(runs);
      Blocks made = blocks(runs, {8, 1, 1});
      keep_worst_inputs(made.drawn, made.times);
      CHECK(made.times.ratio < 1.01);
      CHECK(made.times.ratio_ci.high < 1.01);
    }
  }

  TEST_CASE("the slowest distribution counts, with its own times") {
    Blocks made = blocks(6, {2, 1.5, 0.5});
    keep_worst_inputs(made.drawn, made.times);
    CHECK(made.times.ratio == doctest::Approx(0.5));
    CHECK(made.times.log_ratios.size() == 10);
    CHECK(made.times.baseline_us.size() == 10);
    CHECK(made.times.kernel_us == std::vector<double>(10, 200.0));
  }

  TEST_CASE("blocks that do not differ stay as they are") {
    Blocks made = blocks(6, {2, 2, 2});
    const PairedResult before = made.times;
    keep_worst_inputs(made.drawn, made.times);
    CHECK(made.times.log_ratios == before.log_ratios);
    CHECK(made.times.ratio == before.ratio);
    CHECK(made.times.ratio_ci.low == before.ratio_ci.low);
  }

  TEST_CASE("a distribution of three blocks is not looked at") {
    Blocks made = blocks(2, {1, 1, 1});
    for (int i = 0; i < 3; ++i) {
      made.drawn.push_back(Distribution::kUniform);
      made.times.kernel_us.push_back(1000);
      made.times.baseline_us.push_back(100);
      made.times.log_ratios.push_back(std::log(0.1));
    }
    keep_worst_inputs(made.drawn, made.times);
    CHECK(made.times.ratio == doctest::Approx(1).epsilon(0.01));
  }
}

}  // namespace ws
