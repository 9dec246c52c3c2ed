// Statistics of measured times. All functions take at least one value unless they say otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ws {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Middle value; mean of the two middle ones where the count is even.
double median(std::span<const double> values);

/// Percentile 0 to 100 by linear interpolation between order statistics (Hyndman and Fan, type 7).
double percentile(std::span<const double> values, double percent);

/// Mean of the middle half: as sure against outliers as a median where a quarter are, and finer
/// than the clock's ticks where the values are.
double interquartile_mean(std::span<const double> values);

/// exp(mean(log(values))); all above 0.
double geometric_mean(std::span<const double> values);

/// 95 % interval of the median by the percentile bootstrap.
///
/// @param seed   Fixed by the caller: the same values give the same interval.
/// @return       {value, value} for a single value.
/// @source       B. Efron, R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
Interval bootstrap_median(std::span<const double> values, std::uint64_t seed = 1,
                          int resamples = 2000);

/// 95 % interval of the geometric mean of several workloads' ratios, from their block log-ratios:
/// each resample draws every workload's blocks again. @param log_ratios   One list per workload.
Interval bootstrap_geomean(std::span<const std::vector<double>> log_ratios, std::uint64_t seed = 1,
                           int resamples = 2000);

/// The quantile of Student's t where the normal distribution has `z`: that one and its first three
/// corrections. Good to 3 % for four degrees of freedom and more.
/// @source Goldberg, Levine: Approximate formulas for the percentage points and normalization of t
/// (1946).
double student_quantile(double z, double freedom);

/// The bound, as |ratio - 1|, that one more measurement of equals exceeds in one of a hundred to
/// each side: the bound of Student's t for the next of logarithms around 0, from those of whole A/A
/// measurements. A percentile of a few measurements would be no bound for the next. 0 when `ratios`
/// is empty; too low with fewer than four.
double noise_floor(std::span<const double> ratios);

}  // namespace ws
