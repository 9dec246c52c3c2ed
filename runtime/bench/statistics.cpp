#include "runtime/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ws {
namespace {

constexpr double kLowPercent = 2.5;  // Both cut a 95 % interval.
constexpr double kHighPercent = 97.5;

/// Draws the median of a resample without drawing the resample: the k-th smallest of n uniform
/// ranks is a ratio of sums of exponential spacings (A. Renyi, 1953), so one draw costs two gamma
/// variates instead of n values and a selection, with the same distribution.
class ResampledMedian {
 public:
  explicit ResampledMedian(std::span<const double> values)
      : sorted_(values.begin(), values.end()),
        half_(std::ceil(static_cast<double>(values.size()) / 2)) {
    std::sort(sorted_.begin(), sorted_.end());
  }

  double draw(std::mt19937_64& random) {
    std::gamma_distribution<double> spacings(half_);
    const double below = spacings(random);
    const double above = spacings(random);
    if (sorted_.size() % 2 == 1) {
      return at(below / (below + above));
    }
    const double between = std::exponential_distribution<double>()(random);
    const double all = below + between + above;
    return (at(below / all) + at((below + between) / all)) / 2;
  }

 private:
  /// The value at rank `place`, 0 to 1.
  [[nodiscard]] double at(double place) const {
    const auto rank = static_cast<std::size_t>(place * static_cast<double>(sorted_.size()));
    return sorted_[std::min(rank, sorted_.size() - 1)];
  }

  std::vector<double> sorted_;
  double half_;  ///< Spacings on each side of the middle.
};

constexpr double kNormal99 = 2.3263478740408408;  // The 99 % quantile of the normal distribution.

Interval cut(const std::vector<double>& estimates) {
  return {percentile(estimates, kLowPercent), percentile(estimates, kHighPercent)};
}

}  // namespace

double median(std::span<const double> values) {
  return percentile(values, 50);
}

double percentile(std::span<const double> values, double percent) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double place =
      std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double interquartile_mean(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto quarter = static_cast<std::ptrdiff_t>(sorted.size() / 4);
  const auto first = sorted.begin() + quarter;
  const auto last = sorted.end() - quarter;
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

double geometric_mean(std::span<const double> values) {
  const double sum =
      std::accumulate(values.begin(), values.end(), 0.0,
                      [](double all, double value) { return all + std::log(value); });
  return std::exp(sum / static_cast<double>(values.size()));
}

Interval bootstrap_median(std::span<const double> values, std::uint64_t seed, int resamples) {
  std::mt19937_64 random(seed);
  ResampledMedian resampled(values);
  std::vector<double> medians(static_cast<std::size_t>(resamples));
  std::generate(medians.begin(), medians.end(), [&] { return resampled.draw(random); });
  return cut(medians);
}

Interval bootstrap_geomean(std::span<const std::vector<double>> log_ratios, std::uint64_t seed,
                           int resamples) {
  std::mt19937_64 random(seed);
  std::vector<ResampledMedian> workloads(log_ratios.begin(), log_ratios.end());
  std::vector<double> means(static_cast<std::size_t>(resamples));
  std::generate(means.begin(), means.end(), [&] {
    double sum = 0;
    for (ResampledMedian& workload : workloads) {
      sum += workload.draw(random);
    }
    return std::exp(sum / static_cast<double>(workloads.size()));
  });
  return cut(means);
}

double student_quantile(double z, double freedom) {
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  return z + (z3 + z) / 4 / freedom + (5 * z5 + 16 * z3 + 3 * z) / 96 / std::pow(freedom, 2) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / std::pow(freedom, 3);
}

double noise_floor(std::span<const double> ratios) {
  if (ratios.empty()) {
    return 0;
  }
  double squares = 0;
  for (const double ratio : ratios) {
    squares += std::log(ratio) * std::log(ratio);
  }
  const auto count = static_cast<double>(ratios.size());
  return std::exp(student_quantile(kNormal99, count) * std::sqrt(squares / count)) - 1;
}

}  // namespace ws
