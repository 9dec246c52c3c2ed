#include "runtime/evaluate/measure/worst_inputs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "runtime/bench/statistics.h"

namespace ws {
namespace {

/// Fewer have no interval to speak of.
constexpr std::size_t kFewestBlocks = 4;
/// Equals differ by less.
constexpr double kClearly = 0.02;

/// Those of one distribution.
std::vector<double> chosen(std::span<const double> values, std::span<const Distribution> drawn,
                           Distribution distribution) {
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (drawn[i] == distribution) {
      some.push_back(values[i]);
    }
  }
  return some;
}

}  // namespace

void keep_worst_inputs(std::span<const Distribution> drawn, PairedResult& times) {
  std::map<Distribution, Interval> intervals;
  for (const Distribution distribution : std::set(drawn.begin(), drawn.end())) {
    const std::vector<double> some = chosen(times.log_ratios, drawn, distribution);
    if (some.size() >= kFewestBlocks) {
      intervals[distribution] = bootstrap_median(some);
    }
  }
  if (intervals.empty()) {
    return;
  }
  const auto [worst, interval] =
      *std::ranges::min_element(intervals, {}, [](const auto& each) { return each.second.high; });
  const bool varies = std::ranges::any_of(intervals, [&, high = interval.high](const auto& other) {
    return other.second.low > high + kClearly;
  });
  if (!varies) {
    return;
  }
  for (std::vector<double>* values : {&times.log_ratios, &times.kernel_us, &times.baseline_us}) {
    *values = chosen(*values, drawn, worst);
  }
  times.ratio = std::exp(median(times.log_ratios));
  times.ratio_ci = {std::exp(interval.low), std::exp(interval.high)};
}

}  // namespace ws
