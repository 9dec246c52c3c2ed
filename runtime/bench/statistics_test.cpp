#include "runtime/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("bench.statistics") {
  struct Case {
    std::vector<double> values;
    double percent;
    double want;
  };

  TEST_CASE(
      "the mean of the middle half is finer than the values' grid, and outliers are not in it") {
    CHECK(interquartile_mean(std::vector<double>{7}) == 7);
    CHECK(interquartile_mean(std::vector<double>{1, 2, 6}) == 3);
    CHECK(interquartile_mean(std::vector<double>{1000, 2, 3, 0}) == 2.5);
    CHECK(interquartile_mean(std::vector<double>{40.0, 40.5, 40.0, 40.5, 40.5, 40.0, 99, 40.5}) ==
          40.375);
  }

  TEST_CASE("percentiles interpolate between the sorted values") {
    const Case cases[] = {
        {{3}, 0, 3},
        {{3}, 50, 3},
        {{3}, 100, 3},
        {{4, 1, 3, 2}, 0, 1},
        {{4, 1, 3, 2}, 50, 2.5},
        {{4, 1, 3, 2}, 100, 4},
        {{10, 20}, 25, 12.5},
        {{1, 2, 3, 4, 5}, 95, 4.8},
    };
    for (const Case& c : cases) {
      CAPTURE(c.percent);
      CHECK(percentile(c.values, c.percent) == doctest::Approx(c.want));
    }
  }

  TEST_CASE("the median of odd, even and single lists") {
    CHECK(median(std::vector<double>{5}) == 5);
    CHECK(median(std::vector<double>{5, 1, 9}) == 5);
    CHECK(median(std::vector<double>{5, 1, 9, 7}) == 6);
    CHECK(median(std::vector<double>{2, 1}) == 1.5);
  }

  TEST_CASE("the geometric mean of a gain and its inverse is one") {
    CHECK(geometric_mean(std::vector<double>{4, 0.25}) == doctest::Approx(1));
    CHECK(geometric_mean(std::vector<double>{1, 8}) == doctest::Approx(std::sqrt(8.0)));
  }

  TEST_CASE("the bootstrap interval holds the true median in about 95 of 100 samples") {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal(10, 1);
    int held = 0;
    for (int trial = 0; trial < 400; ++trial) {
      std::vector<double> values(31);
      for (double& value : values) {
        value = normal(random);
      }
      const Interval interval = bootstrap_median(values, 1, 1000);
      held += interval.low <= 10 && 10 <= interval.high ? 1 : 0;
    }
    CHECK(held > 364);
    CHECK(held < 400);
  }

  TEST_CASE("the interval is the one that drawing whole resamples gives") {
    std::mt19937_64 random(11);
    std::exponential_distribution<double> skewed;
    for (const std::size_t count : {1U, 2U, 3U, 10U, 11U, 100U}) {
      CAPTURE(count);
      std::vector<double> values(count);
      std::generate(values.begin(), values.end(), [&] { return skewed(random); });
      std::uniform_int_distribution<std::size_t> place(0, count - 1);
      std::vector<double> medians;
      for (int i = 0; i < 20000; ++i) {
        std::vector<double> drawn(count);
        std::generate(drawn.begin(), drawn.end(), [&] { return values[place(random)]; });
        medians.push_back(median(drawn));
      }
      const Interval fast = bootstrap_median(values, 1, 20000);
      CHECK(fast.low == doctest::Approx(percentile(medians, 2.5)).epsilon(0.05));
      CHECK(fast.high == doctest::Approx(percentile(medians, 97.5)).epsilon(0.05));
    }
  }

  TEST_CASE("the interval is repeatable, shrinks with more values, and is a point for one value") {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> values(1000);
    for (double& value : values) {
      value = normal(random);
    }
    const std::vector<double> few(values.begin(), values.begin() + 20);
    const Interval wide = bootstrap_median(few);
    const Interval narrow = bootstrap_median(values);
    CHECK(narrow.high - narrow.low < 0.5 * (wide.high - wide.low));
    CHECK(bootstrap_median(few).low == wide.low);
    CHECK(bootstrap_median(std::vector<double>{2}).low == 2);
    CHECK(bootstrap_median(std::vector<double>{2}).high == 2);
  }

  TEST_CASE("the interval of a geometric mean lies around the ratio of all workloads together") {
    std::mt19937_64 random(9);
    std::normal_distribution<double> normal(0, 0.02);
    std::vector<std::vector<double>> log_ratios(2);
    for (int i = 0; i < 40; ++i) {
      log_ratios[0].push_back(std::log(4.0) + normal(random));
      log_ratios[1].push_back(normal(random));
    }
    const Interval interval = bootstrap_geomean(log_ratios);
    CHECK(interval.low < 2);
    CHECK(interval.high > 2);
    CHECK(interval.high - interval.low < 0.05);
  }

  TEST_CASE("the noise floor is Student's bound for the next measurement") {
    CHECK(noise_floor({}) == 0);
    // The table's 99 % quantiles: 2.896 for 8 degrees of freedom, 2.528 for 20.
    for (const auto& [count, quantile] : {std::pair(8, 2.896), std::pair(20, 2.528)}) {
      std::vector<double> ratios;
      ratios.reserve(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        ratios.push_back(std::exp(i % 2 == 0 ? 0.01 : -0.01));
      }
      CHECK(std::log(1 + noise_floor(ratios)) == doctest::Approx(0.01 * quantile).epsilon(0.001));
    }
  }

  TEST_CASE(
      "of equals whose sessions differ one in a hundred is beyond the floor of eight others") {
    std::mt19937_64 random(7);
    std::normal_distribution<double> log_ratio(0, 0.05);
    constexpr int kTrials = 20'000;
    int beyond = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> ratios(8);
      std::generate(ratios.begin(), ratios.end(), [&] { return std::exp(log_ratio(random)); });
      beyond += std::exp(log_ratio(random)) > 1 + noise_floor(ratios) ? 1 : 0;
    }
    CHECK(beyond > kTrials / 100 * 7 / 10);
    CHECK(beyond < kTrials / 100 * 13 / 10);
  }
}

}  // namespace ws
