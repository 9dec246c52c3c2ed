#include "runtime/evaluate/measure/timed_kernel.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/clock.h"
#include "runtime/base/keyed_stream.h"
#include "runtime/base/units.h"
#include "runtime/bench/statistics.h"
#include "runtime/evaluate/measure/library_side.h"

namespace ws {
namespace {

constexpr int kCalibrations = 15;
/// Below what the device's clock can tell: keeps a ratio finite.
constexpr double kShortestUs = 0.05;
/// Beyond the private caches, not beyond every L3.
constexpr std::size_t kColdBytes = std::size_t{32} << 20U;
/// On a GPU one block is as many launches as take about this long, so that what goes on between
/// blocks (copies, comparisons) does not set the pace; the mean of their middle half is the block's
/// time.
constexpr double kBlockUs = 10'000;
constexpr double kLeastLaunches = 3;
constexpr double kMostLaunches = 50;
/// How many times longer than the calibration says a block may take, beyond one launch's limit.
constexpr double kRoundPatience = 20;

}  // namespace

ColdWalk::ColdWalk(bool needed)
    : bytes_(needed ? kColdBytes : 0) {}

void ColdWalk::walk() {
  for (std::size_t i = 0; i < bytes_.size(); i += 64) {
    bytes_[i] = static_cast<std::byte>(static_cast<unsigned char>(bytes_[i]) + 1U);
  }
}

Result<TimedKernel> TimedKernel::open(Backend& backend, const Compiled& compiled,
                                      const TimedKernelOptions& options,
                                      const std::stop_token& stop) {
  TimedKernel timed;
  if (options.library) {
    WS_TRY(PreparedLibrary made, prepare_library(backend, *options.library, compiled, stop));
    timed.prepared_ = std::move(made.prepared);
    timed.library_ = std::move(made.facts);
  } else {
    WS_TRY(timed.prepared_, prepare(backend, compiled, options.as, options.batch, stop));
  }
  timed.options_ = options;
  timed.limit_ = options.limit;
  return timed;
}

std::optional<Violation> TimedKernel::violation_of(const RunOutcome& outcome) const {
  if (outcome.ok()) {
    return std::nullopt;
  }
  const Fault fault = describe_fault(outcome, prepared_.compiled->image, prepared_.plan, limit_);
  return Violation{fault.verdict, fault.message, fault};
}

Result<std::optional<Violation>> TimedKernel::calibrate(std::uint64_t secret,
                                                        const std::stop_token& stop) {
  if (!options_.emulated) {
    const TimingRequest request{.poison = launch_poison(secret, "calibration"),
                                .launches = static_cast<std::uint32_t>(kLeastLaunches),
                                .hot = options_.hot ? 1U : 0U};
    WS_TRY(const TimingOutcome timing,
           prepared_.session->time(request, options_.limit * request.launches, stop));
    if (auto violation = violation_of(timing.run)) {
      return violation;
    }
    const double us = std::max(timing.samples.back().us, kShortestUs);
    launches_ =
        static_cast<std::uint32_t>(std::clamp(kBlockUs / us, kLeastLaunches, kMostLaunches));
    limit_ = options_.limit +
             std::chrono::milliseconds(std::llround(kRoundPatience * launches_ * us / kUsPerMs));
    return std::optional<Violation>();
  }
  std::vector<double> times;
  for (int i = 0; i < kCalibrations; ++i) {
    WS_TRY(const RunOutcome outcome, prepared_.session->run(kNoLaunch, options_.limit, stop));
    times.push_back(outcome.elapsed_us);
  }
  // Not the median: what made one slower is no part of every launch, and taking too much off would
  // make short kernels look fast.
  overhead_us_ = *std::min_element(times.begin(), times.end());
  return std::optional<Violation>();
}

double TimedKernel::time_of(const TimingOutcome& timing, ClockLog& log) const {
  if (options_.emulated) {
    return timing.samples.front().us;
  }
  std::vector<double> all;
  std::vector<double> steady;
  for (const TimingSample& sample : timing.samples) {
    all.push_back(sample.us);
    if (!sample.throttled) {
      steady.push_back(sample.us);
    }
    if (sample.sm_mhz > 0) {
      log.sm_mhz.push_back(sample.sm_mhz);
    }
  }
  Clocks& clocks = log.clocks;
  clocks.launches += static_cast<std::int64_t>(all.size());
  clocks.throttled += static_cast<std::int64_t>(all.size() - steady.size());
  clocks.memory_mhz = timing.memory_mhz;
  clocks.processes = std::max(clocks.processes, timing.processes);
  clocks.throttle_reasons.insert(timing.throttle_reasons.begin(), timing.throttle_reasons.end());
  // Not the median: a short kernel's launches take one of a few ticks of the device's clock.
  return std::max(interquartile_mean(steady.empty() ? all : steady), kShortestUs);
}

Result<TimedKernel::Block> TimedKernel::measure(std::uint64_t seed, const SharedInputs& inputs,
                                                ColdWalk& cold, ClockLog& log,
                                                const std::stop_token& stop) {
  const MemoryGuard guard(prepared_.plan, *prepared_.arena, derive_seed(seed, "memory"));
  cold.walk();
  const TimingRequest request{.poison = launch_poison(seed, "timed side"),
                              .launches = launches_,
                              .hot = options_.hot ? 1U : 0U,
                              .inputs = inputs.secret,
                              .shared = inputs.launches};
  const auto start = Clock::now();
  WS_TRY(TimingOutcome timing, prepared_.session->time(request, limit_, stop));
  if (!options_.emulated) {  // An emulated device is not shared.
    waited_ms_ += elapsed_ms(start) - timing.run.elapsed_us / kUsPerMs;
  }
  if (auto violation = violation_of(timing.run)) {
    return Block{0, std::move(violation), {}};
  }
  if (const auto damage = guard.damage()) {
    return Block{0, Violation{damage->verdict, damage->message, std::nullopt}, {}};
  }
  return Block{time_of(timing, log), std::nullopt, std::move(timing.digests)};
}

}  // namespace ws
