#include "tools/common/duel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/bench/statistics.h"
#include "runtime/judge/validation_plan.h"

namespace ws {
namespace {

constexpr int kCalibrations = 15;
/// A launch cannot take less: keeps a ratio finite where the overhead is most of it.
constexpr double kShortestUs = 0.05;
/// Walked over before a cold launch; beyond the private caches, not beyond every L3.
constexpr std::size_t kColdBytes = std::size_t{32} << 20U;
/// On a GPU one block is as many launches as take about this long, so that what goes on between
/// blocks (copies, comparisons) does not set the pace; the mean of their middle half is the block's
/// time.
constexpr double kBlockUs = 10'000;
constexpr double kLeastLaunches = 3;
constexpr double kMostLaunches = 50;
/// How many times longer than the calibration says a block may take, beyond one launch's limit.
constexpr double kPatience = 20;
constexpr double kUsPerMs = 1000;
/// Drawing inputs costs far more than a launch on a GPU, where every launch sees them restored: a
/// draw serves several blocks.
constexpr std::uint64_t kBlocksPerDraw = 5;
/// Both sides may be wrong by the tolerance.
constexpr double kTwoSided = 2;

/// Carried out of measure_paired, which only knows Errors: the run ended, with a reason in result_.
constexpr const char* kEnded = "the duel ended";

}  // namespace

Result<std::unique_ptr<Duel>> Duel::start(Backend& backend, const Problem& problem,
                                          const Workload& workload, const Compiled& kernel,
                                          const Compiled& baseline, const DuelOptions& options) {
  WS_TRY(const DeviceInfo device, backend.info());
  std::unique_ptr<Duel> duel(new Duel(problem, options, device.emulated));
  WS_TRY(duel->kernel_.prepared, prepare(backend, kernel));
  WS_TRY(duel->baseline_.prepared, prepare(backend, baseline));
  WS_TRY(const auto flops, flops_of(problem, workload));
  duel->kernel_.limit = duel->baseline_.limit = options.limit;
  duel->find_outputs(workload,
                     flops ? std::optional<double>(static_cast<double>(*flops)) : std::nullopt);
  if (device.emulated && !options.hot) {
    duel->cold_.resize(kColdBytes);
  }
  return duel;
}

void Duel::find_outputs(const Workload& workload, std::optional<double> flops) {
  const std::vector<BufferSpec>& buffers = kernel_.prepared.plan.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const ArgSpec* arg = problem_.find_arg(buffers[i].name);
    const bool written =
        buffers[i].role == BufferRole::kOut || buffers[i].role == BufferRole::kInout;
    if (arg == nullptr || !written) {
      continue;
    }
    const double length = reduction_length(*arg, workload, flops, buffers[i].elements);
    ErrorBound bound = error_bound(problem_, *arg, length);
    bound.rtol *= kTwoSided;
    bound.atol *= kTwoSided;
    outputs_.emplace_back(i, bound);
    reduction_length_ = std::max(reduction_length_, length);
  }
}

Status Duel::calibrate(Fighter& fighter, const std::stop_token& stop) {
  if (!emulated_) {
    const TimingRequest request{.poison = options_.secret | 1U,
                                .launches = static_cast<std::uint32_t>(kLeastLaunches),
                                .hot = options_.hot ? 1U : 0U};
    WS_TRY(const TimingOutcome timing,
           fighter.prepared.session->time(request, options_.limit * request.launches, stop));
    WS_CHECK(went_well(timing.run, fighter));
    const double us = std::max(timing.samples.back().us, kShortestUs);
    fighter.launches =
        static_cast<std::uint32_t>(std::clamp(kBlockUs / us, kLeastLaunches, kMostLaunches));
    fighter.limit =
        options_.limit +
        std::chrono::milliseconds(std::llround(kPatience * fighter.launches * us / kUsPerMs));
    return {};
  }
  std::vector<double> times;
  for (int i = 0; i < kCalibrations; ++i) {
    WS_TRY(const RunOutcome outcome,
           fighter.prepared.session->run(kNoLaunch, options_.limit, stop));
    times.push_back(outcome.elapsed_us);
  }
  fighter.overhead_us = median(times);
  return {};
}

Status Duel::fresh_inputs(std::uint64_t block) {
  const bool changed =
      std::any_of(kernel_.prepared.plan.buffers.begin(), kernel_.prepared.plan.buffers.end(),
                  [](const BufferSpec& buffer) { return buffer.role == BufferRole::kInout; });
  if (!emulated_ && !changed && block % kBlocksPerDraw != 0) {
    return {};
  }
  const std::uint64_t seed =
      run_seed(options_.secret, {.workload = 0, .distribution = {}, .seed_index = block});
  // Drawn into the baseline's arena, then copied: both sides see the same bits.
  WS_CHECK(fill_inputs(problem_, baseline_.prepared.plan, Distribution::kDeclared, seed,
                       reduction_length_, *baseline_.prepared.arena));
  copy_inputs(kernel_.prepared.plan, *baseline_.prepared.arena, *kernel_.prepared.arena);
  return {};
}

void Duel::cool_caches() {
  for (std::size_t i = 0; i < cold_.size(); i += 64) {
    cold_[i] = static_cast<std::byte>(static_cast<unsigned char>(cold_[i]) + 1U);
  }
}

void Duel::compare_outputs() {
  for (const auto& [index, bound] : outputs_) {
    const BufferSpec& spec = kernel_.prepared.plan.buffers[index];
    const Comparison comparison = compare(spec, kernel_.prepared.arena->buffer(index),
                                          baseline_.prepared.arena->buffer(index), bound);
    if (!comparison.passed()) {
      result_.problem_found = "in a timed launch, output `" + spec.name + "` differs from the " +
                              "baseline's in " + std::to_string(comparison.mismatches) + " of " +
                              std::to_string(comparison.elements) + " elements";
      return;
    }
  }
}

std::string Duel::who(const Fighter& fighter) const {
  return &fighter == &kernel_ ? "the kernel: " : "the baseline: ";
}

Status Duel::went_well(const RunOutcome& outcome, const Fighter& fighter) {
  if (outcome.ok()) {
    return {};
  }
  result_.fault = describe_fault(outcome, fighter.prepared.compiled->image, fighter.prepared.plan,
                                 fighter.limit);
  result_.problem_found = who(fighter) + result_.fault->message;
  return fail(ErrorCode::kInternal, kEnded);
}

double Duel::time_of(const TimingOutcome& timing, Fighter& fighter) {
  if (emulated_) {
    return std::max(timing.samples.front().us - fighter.overhead_us, kShortestUs);
  }
  std::vector<double> all;
  std::vector<double> steady;
  for (const TimingSample& sample : timing.samples) {
    all.push_back(sample.us);
    if (!sample.throttled) {
      steady.push_back(sample.us);
    }
    if (sample.sm_mhz > 0) {
      sm_mhz_.push_back(sample.sm_mhz);
    }
  }
  Clocks& clocks = result_.clocks;
  clocks.launches += static_cast<std::int64_t>(all.size());
  clocks.throttled += static_cast<std::int64_t>(all.size() - steady.size());
  clocks.memory_mhz = timing.memory_mhz;
  clocks.processes = std::max(clocks.processes, timing.processes);
  clocks.throttle_reasons.insert(timing.throttle_reasons.begin(), timing.throttle_reasons.end());
  // Not the median: a short kernel's launches take one of a few ticks of the device's clock.
  return std::max(interquartile_mean(steady.empty() ? all : steady), kShortestUs);
}

Result<double> Duel::measure(Side side, const std::stop_token& stop) {
  Fighter& fighter = side == Side::kKernel ? kernel_ : baseline_;
  const Fighter& other = side == Side::kKernel ? baseline_ : kernel_;
  const std::uint64_t block = fighter.blocks++;
  const bool first = other.blocks <= block;
  if (first) {
    WS_CHECK(fresh_inputs(block));
  }
  const std::uint64_t poison = options_.secret ^ (2 * block + (first ? 0 : 1));
  const Watch watch(fighter.prepared.plan, *fighter.prepared.arena, poison);
  cool_caches();
  const TimingRequest request{
      .poison = poison | 1U, .launches = fighter.launches, .hot = options_.hot ? 1U : 0U};
  WS_TRY(const TimingOutcome timing, fighter.prepared.session->time(request, fighter.limit, stop));
  WS_CHECK(went_well(timing.run, fighter));
  if (const auto damage = watch.damage()) {
    result_.problem_found = who(fighter) + damage->message;
  } else if (!first) {
    compare_outputs();
  }
  if (!result_.problem_found.empty()) {
    return fail(ErrorCode::kInternal, kEnded);
  }
  return time_of(timing, fighter);
}

Result<PairedResult> Duel::measure_both(const std::stop_token& stop) {
  WS_CHECK(fresh_inputs(0));
  WS_CHECK(calibrate(kernel_, stop));
  WS_CHECK(calibrate(baseline_, stop));
  PairedOptions paired = options_.paired;
  paired.seed = options_.secret;
  return measure_paired([&](Side side) { return measure(side, stop); }, paired);
}

Result<DuelResult> Duel::run(const std::stop_token& stop) {
  auto times = measure_both(stop);
  if (times) {
    result_.times = *std::move(times);
    result_.clocks.sm_mhz = sm_mhz_.empty() ? 0 : median(sm_mhz_);
  } else if (times.error().message != kEnded) {
    return fail(times.error());
  }
  return std::move(result_);
}

}  // namespace ws
