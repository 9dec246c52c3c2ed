#include "runtime/bench/paired.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>

namespace ws {
namespace {

constexpr double kSmallestMargin = 0.01;  // Differences below 1 % are of no use to anyone.
constexpr double kLargestMargin = 0.05;
/// An interval this narrow beside the noise floor is narrow enough: another session's differs more.
constexpr double kShareOfNoise = 0.25;

double steady_ms() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

class PairedRun {
 public:
  PairedRun(const MeasureFn& measure, const PairedOptions& options)
      : measure_(measure),
        options_(options),
        order_(options.seed) {
    if (options.twin) {
      sides_.push_back(Side::kTwin);
    }
  }

  Result<PairedResult> run() {
    const NowMsFn now = options_.now_ms ? options_.now_ms : NowMsFn(steady_ms);
    for (const Side side : sides_) {
      WS_TRY([[maybe_unused]] const double warm, time_of(side));
    }
    const WaitedMsFn waited = options_.waited_ms ? options_.waited_ms : [] { return 0.0; };
    const double start = now();
    const double waited_before = waited();
    int next_look = options_.min_blocks;
    for (int blocks = 1;; ++blocks) {
      WS_CHECK(measure_block());
      const double elapsed = now() - start;
      if (blocks >= next_look && elapsed >= options_.min_time_ms) {
        if (is_enough()) {
          return finish(StopReason::kTarget);
        }
        // Each look is one more chance to stop at a lucky moment.
        next_look = blocks + std::max(1, blocks / 8);
      }
      if (blocks >= options_.max_blocks) {
        return finish(StopReason::kMaxBlocks);
      }
      const double used = elapsed - (waited() - waited_before);
      if (blocks >= options_.min_blocks && used >= options_.time_budget_ms) {
        return finish(StopReason::kTimeBudget);
      }
    }
  }

 private:
  Result<double> time_of(Side side) {
    WS_TRY(const double us, measure_(side));
    if (!(us > 0)) {
      return fail(ErrorCode::kInternal, "a measured time is not positive: " + std::to_string(us));
    }
    return us;
  }

  Status measure_block() {
    std::vector<Side> order = sides_;
    for (std::size_t last = order.size() - 1; last > 0; --last) {
      std::swap(order[last], order[last - order_() % (last + 1)]);
    }
    for (const Side side : order) {
      WS_TRY(const double us, time_of(side));
      times_of(side).push_back(us);
    }
    return {};
  }

  std::vector<double>& times_of(Side side) {
    switch (side) {
      case Side::kKernel:
        return result_.kernel_us;
      case Side::kBaseline:
        return result_.baseline_us;
      case Side::kTwin:
        break;
    }
    return twin_us_;
  }

  /// Whether nearly all of these times, in microseconds, is overhead.
  [[nodiscard]] bool is_hidden(const std::vector<double>& times) const {
    return median(times) - options_.overhead_us < options_.overhead_us / 2;
  }

  /// The overhead to subtract from all times: 0 where it hides a side, as too little would remain.
  [[nodiscard]] double overhead() const {
    const bool hidden = is_hidden(result_.kernel_us) || is_hidden(result_.baseline_us);
    return hidden ? 0 : options_.overhead_us;
  }

  /// log(over / under) of each block, without the overhead. A block that a disturbed clock made
  /// shorter than the overhead keeps it: it is one of many.
  [[nodiscard]] std::vector<double> log_ratios(const std::vector<double>& over,
                                               const std::vector<double>& under,
                                               double overhead) const {
    std::vector<double> logs;
    for (std::size_t i = 0; i < over.size(); ++i) {
      const double off = std::min(over[i], under[i]) > overhead ? overhead : 0;
      logs.push_back(std::log((over[i] - off) / (under[i] - off)));
    }
    return logs;
  }

  [[nodiscard]] bool is_enough() const {
    const Interval interval =
        bootstrap_median(log_ratios(result_.baseline_us, result_.kernel_us, overhead()));
    const double noise = options_.noise_floor ? result_.noise_at(*options_.noise_floor) : 0;
    const double target = std::max(options_.target_half_width, noise * kShareOfNoise);
    const Interval ratio = {std::exp(interval.low), std::exp(interval.high)};
    return (interval.high - interval.low) / 2 <= target &&
           (!options_.noise_floor || judge_speed(ratio, noise) != SpeedVerdict::kInconclusive);
  }

  PairedResult finish(StopReason reason) {
    result_.resolution_limited = is_hidden(result_.kernel_us) && is_hidden(result_.baseline_us);
    const double off = overhead();
    result_.log_ratios = log_ratios(result_.baseline_us, result_.kernel_us, off);
    if (options_.twin) {
      result_.twin_log_ratio = median(log_ratios(result_.baseline_us, twin_us_, off));
    }
    for (std::vector<double>* times : {&result_.kernel_us, &result_.baseline_us}) {
      for (double& us : *times) {
        us -= us > off ? off : 0;
      }
    }
    const Interval interval = bootstrap_median(result_.log_ratios);
    result_.ratio = std::exp(median(result_.log_ratios));
    result_.ratio_ci = {std::exp(interval.low), std::exp(interval.high)};
    result_.stop = reason;
    return std::move(result_);
  }

  const MeasureFn& measure_;
  const PairedOptions& options_;
  std::mt19937_64 order_;
  std::vector<Side> sides_ = {Side::kKernel, Side::kBaseline};
  std::vector<double> twin_us_;  // As result_'s times.
  PairedResult result_;
};

}  // namespace

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::kTarget:
      return "target";
    case StopReason::kTimeBudget:
      return "time_budget";
    case StopReason::kMaxBlocks:
      return "max_blocks";
  }
  return "time_budget";
}

std::string_view name_of(SpeedVerdict verdict) {
  switch (verdict) {
    case SpeedVerdict::kFaster:
      return "faster";
    case SpeedVerdict::kSlower:
      return "slower";
    case SpeedVerdict::kEquivalent:
      return "equivalent";
    case SpeedVerdict::kInconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

double PairedResult::noise_at(const NoiseFloor& floor) const {
  return floor.at(std::min(median(kernel_us), median(baseline_us)));
}

Result<PairedResult> measure_paired(const MeasureFn& measure, const PairedOptions& options) {
  return PairedRun(measure, options).run();
}

SpeedVerdict judge_speed(const Interval& ratio_ci, double noise_floor) {
  if (ratio_ci.low > 1 + noise_floor) {
    return SpeedVerdict::kFaster;
  }
  if (ratio_ci.high < 1 / (1 + noise_floor)) {
    return SpeedVerdict::kSlower;
  }
  // A noisy device cannot tell a difference; that does not make two kernels equal.
  const double margin = 1 + std::clamp(noise_floor, kSmallestMargin, kLargestMargin);
  if (ratio_ci.low >= 1 / margin && ratio_ci.high <= margin) {
    return SpeedVerdict::kEquivalent;
  }
  return SpeedVerdict::kInconclusive;
}

}  // namespace ws
