// Paired measurement: candidate and baseline take turns, so that disturbances of both cancel.
//
// Each block times both sides once, in an order that a seed draws. The ratio of a block is
// baseline over kernel; the result is the median of the log-ratios with a bootstrap interval, and
// a verdict that respects what the device shows as a difference between equals (its A/A floor).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/bench/statistics.h"

namespace ws {

/// kTwin: the baseline once more, in a worker of its own. What it differs from the baseline by is
/// what equals differ by, measured in the same moments.
enum class Side : std::uint8_t { kKernel, kBaseline, kTwin };

/// Runs one side once on fresh inputs and says how long it took, in microseconds, above 0.
using MeasureFn = std::function<Result<double>(Side)>;

/// Milliseconds on a clock that never goes back; tests put their own here.
using NowMsFn = std::function<double()>;

/// Milliseconds of that clock in which others had the device, since it began.
using WaitedMsFn = std::function<double()>;

/// The difference that a device shows between equals.
struct NoiseFloor {
  double ratio = 0;  ///< As a ratio, for any time.
  double us = 0;     ///< However short the times are.

  /// The floor for such a time, in microseconds, as a ratio.
  [[nodiscard]] double at(double time_us) const { return std::max(ratio, us / time_us); }
};

struct PairedOptions {
  /// Without what was waited for others. Checked between blocks; min_blocks are always measured.
  double time_budget_ms = 2000;
  int min_blocks = 10;       ///< Fewer say too little for an interval.
  int max_blocks = 2000;     ///< Bounds memory and the cost of the intervals.
  double min_time_ms = 200;  ///< Shorter ones see one state of the clocks only.
  /// The half width of the log-ratio's interval: 0.01 is 1 %. It is a quarter of the noise floor
  /// where that is more.
  double target_half_width = 0.01;
  /// Given: a narrow interval does not end the measurement while its verdict is inconclusive with
  /// this floor; that is what the rest of the budget is for.
  std::optional<NoiseFloor> noise_floor;
  bool twin = false;       ///< Each block times the baseline's twin as well.
  double overhead_us = 0;  ///< Part of every time, whichever the side, that is no kernel's.
  std::uint64_t seed = 1;  ///< Draws the order within blocks.
  NowMsFn now_ms;          ///< Empty: the steady clock.
  WaitedMsFn waited_ms;    ///< Empty: nobody is waited for.
};

enum class StopReason : std::uint8_t {
  kTarget,      ///< The interval is as narrow as asked.
  kTimeBudget,  ///< Time ran out first.
  kMaxBlocks,
};

/// "target", "time_budget", "max_blocks".
std::string_view name_of(StopReason reason);

struct PairedResult {
  std::vector<double> kernel_us;    ///< One per block, in order.
  std::vector<double> baseline_us;  ///< The same blocks.
  std::vector<double> log_ratios;   ///< log(baseline / kernel) of each block.
  double ratio = 1;                 ///< exp(median(log_ratios)); above 1: the kernel is faster.
  Interval ratio_ci;                ///< 95 %.
  double twin_log_ratio = 0;        ///< Median of log(baseline / twin); 0 without a twin.
  /// The medians of both sides are below half the overhead, so the ratio says nothing about the
  /// kernels. Where that holds for one side only, no overhead is taken off either: times are upper
  /// bounds, and the ratio is nearer to 1 than the kernels'.
  bool resolution_limited = false;
  StopReason stop = StopReason::kTimeBudget;

  /// The floor at the faster side's median.
  [[nodiscard]] double noise_at(const NoiseFloor& floor) const;
};

/// Measures until the interval is narrow enough or the budget is used up. One warm-up of each side
/// comes first and is not recorded.
///
/// @errors   The first error of `measure`; kInternal: a time that is not above 0.
/// @threads  `measure` is called on the caller's thread.
Result<PairedResult> measure_paired(const MeasureFn& measure, const PairedOptions& options);

enum class SpeedVerdict : std::uint8_t { kFaster, kSlower, kEquivalent, kInconclusive };

/// "faster", "slower", "equivalent", "inconclusive".
std::string_view name_of(SpeedVerdict verdict);

/// faster: the whole interval lies above 1 + floor. slower: below 1 / (1 + floor). equivalent:
/// within a factor of 1 + clamp(floor, 1 %, 5 %) of 1. Else inconclusive.
SpeedVerdict judge_speed(const Interval& ratio_ci, double noise_floor);

}  // namespace ws
