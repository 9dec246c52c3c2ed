#include "tools/tune/point_runs.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/retry.h"
#include "runtime/base/units.h"
#include "runtime/bench/statistics.h"
#include "runtime/device/cuda/arch.h"
#include "runtime/device/plan_limits.h"
#include "runtime/evaluate/measure/timed_kernel.h"

namespace ws {
namespace {

/// A candidate may take this much longer than the best before it counts as hanging.
constexpr double kPatience = 50;
constexpr std::chrono::milliseconds kLeastLimit{2000};
constexpr std::chrono::milliseconds kMostLimit{10'000};
/// On the CPU engine other work disturbs: a sample is the fastest of a few launches, unless they
/// are long.
constexpr int kLaunchesOfSample = 3;
constexpr double kLongSampleUs = 200'000;

/// The point is what is wrong, not the device or the compiler.
bool is_of_the_point(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

tune::Fate fate_of(Verdict verdict) {
  const bool pruned = verdict == Verdict::kUnsupported || verdict == Verdict::kResourceLimit;
  return pruned ? tune::Fate::kPruned : tune::Fate::kFailed;
}

/// Over all launches of the plan. Not known: -1, as in CompiledEntry.
tune::Features features_of(const Compiled& compiled, const DeviceInfo& device) {
  double registers = -1;
  double spills = -1;
  double local = -1;
  double shared = 0;
  double threads = 0;
  double occupancy = -1;
  const cuda::ArchSpec* const arch = cuda::find_arch(device.arch);
  for (std::size_t i = 0; i < compiled.plan.steps.size(); ++i) {
    const LaunchStep& step = compiled.plan.steps[i];
    const CompiledEntry* const entry = find_entry(compiled.image(), compiled.plan, i);
    if (entry == nullptr) {
      continue;
    }
    const std::int64_t block = block_threads(step, *entry);
    registers = std::max(registers, static_cast<double>(entry->registers));
    spills = std::max(spills, static_cast<double>(entry->spill_bytes));
    local = std::max(local, static_cast<double>(entry->local_bytes));
    shared = std::max(shared, static_cast<double>(entry->shared_bytes + step.shared_bytes));
    threads = std::max(threads, static_cast<double>(block));
    const auto share =
        arch == nullptr ? std::nullopt : cuda::occupancy(*arch, *entry, block, step.shared_bytes);
    if (share) {
      occupancy = occupancy < 0 ? *share : std::min(occupancy, *share);
    }
  }
  return {registers,
          spills,
          local,
          shared,
          threads,
          occupancy,
          static_cast<double>(compiled.image().blob.size())};
}

/// One workload of a point, in its worker.
struct Runner {
  TimedKernel timed;
  const Workload* workload = nullptr;
  bool refill = false;  ///< The launch changes its inputs and nobody else restores them.
};

class PointRace {
 public:
  PointRace(Backend& backend, const TuneTarget& target, const std::stop_token& stop)
      : backend_(backend),
        target_(target),
        stop_(stop) {}

  Result<RacedPoint> run(const BuiltPoint& point, const std::vector<double>& best) {
    WS_TRY(const DeviceInfo device, backend_.info());
    emulated_ = device.emulated;
    ColdWalk cold(emulated_);
    TimedKernelOptions options;
    options.emulated = device.emulated;
    options.limit = kMostLimit;
    if (!best.empty()) {
      const double ms = kPatience * median(best) / kUsPerMs;
      options.limit = std::min(
          kMostLimit, kLeastLimit + std::chrono::milliseconds(std::llround(std::min(ms, 1e6))));
    }
    WS_TRY(const CoreGate::Hold quiet, backend_.quiet(stop_));
    std::vector<Runner> runners;
    for (std::size_t i = 0; i < target_.timed.size(); ++i) {
      WS_TRY(Runner runner, open(point.compiled[i], target_.timed[i], options));
      runners.push_back(std::move(runner));
      if (raced_.verdict) {
        return std::move(raced_);
      }
    }
    const auto sample = [&]() -> Result<double> { return sample_of(runners, cold); };
    Result<tune::RaceResult> result = tune::race(sample, best);
    if (!result && !raced_.verdict) {
      return fail(std::move(result).error());
    }
    if (result) {
      raced_.race = *result;
    }
    return std::move(raced_);
  }

 private:
  Result<Runner> open(const Compiled& compiled, const Workload& workload,
                      const TimedKernelOptions& options) {
    Runner runner;
    runner.workload = &workload;
    WS_TRY(runner.timed, TimedKernel::open(backend_, compiled, options, stop_));
    const std::vector<BufferSpec>& buffers = runner.timed.plan().buffers;
    runner.refill = options.emulated &&
                    std::any_of(buffers.begin(), buffers.end(),
                                [](const BufferSpec& b) { return b.role == BufferRole::kInout; });
    WS_CHECK(fill(runner));
    WS_TRY(const std::optional<Violation> violation, runner.timed.calibrate(target_.secret, stop_));
    blame(violation);
    return runner;
  }

  /// The same inputs for all points: what is compared is the kernel.
  Status fill(const Runner& runner) {
    return fill_inputs(target_.subject.problem, runner.timed.plan(), Distribution::kDeclared,
                       target_.secret, 1, runner.timed.arena());
  }

  void blame(const std::optional<Violation>& violation) {
    if (violation) {
      raced_.verdict = violation->verdict;
      raced_.message = violation->message;
    }
  }

  Result<double> sample_of(std::vector<Runner>& runners, ColdWalk& cold) {
    std::vector<double> times;
    for (Runner& runner : runners) {
      WS_TRY(double us, launch(runner, cold));
      double spent_us = us;
      for (int i = 1; emulated_ && i < kLaunchesOfSample && spent_us < kLongSampleUs; ++i) {
        WS_TRY(const double again, launch(runner, cold));
        spent_us += again;
        us = std::min(us, again);
      }
      times.push_back(us);
    }
    return geometric_mean(times);
  }

  Result<double> launch(Runner& runner, ColdWalk& cold) {
    if (runner.refill) {
      WS_CHECK(fill(runner));
    }
    const std::uint64_t seed = derive_seed(target_.secret, "launch", ++blocks_);
    const TimedKernel::SharedInputs alone{.secret = derive_seed(seed, "inputs"), .launches = 0};
    WS_TRY(const TimedKernel::Block block, runner.timed.measure(seed, alone, cold, log_, stop_));
    blame(block.violation);
    if (block.violation) {
      return fail(ErrorCode::kInternal, "the race ended");
    }
    return block.us;
  }

  Backend& backend_;
  const TuneTarget& target_;
  const std::stop_token& stop_;
  ClockLog log_;
  std::uint64_t blocks_ = 0;
  bool emulated_ = false;
  RacedPoint raced_;
};

}  // namespace

Result<BuiltPoint> build_point(Backend& backend, const TuneTarget& target, const Params& params,
                               const std::stop_token& stop) {
  WS_TRY(const DeviceInfo device, backend.info());
  BuiltPoint built;
  for (const Workload& workload : target.timed) {
    Result<Compiled> compiled = compile_for(backend, target.subject.problem, target.subject.kernel,
                                            workload, params, {.build = Build::kFast}, stop);
    if (!compiled && !is_of_the_point(compiled.error())) {
      return fail(std::move(compiled).error());
    }
    built.verdict = compiled ? compiled->verdict : Verdict::kInvalidArgument;
    if (!compiled || !compiled->ok()) {
      built.message = compiled ? compiled->message : compiled.error().message;
      built.fate = fate_of(built.verdict);
      built.compiled.clear();
      return built;
    }
    built.compiled.push_back(*std::move(compiled));
  }
  built.features = features_of(built.compiled.front(), device);
  return built;
}

Result<RacedPoint> race_point(Backend& backend, const TuneTarget& target, const BuiltPoint& point,
                              const std::vector<double>& best, const std::stop_token& stop) {
  Result<RacedPoint> raced =
      retry_when_lost([&] { return PointRace(backend, target, stop).run(point, best); });
  if (!raced && is_of_the_point(raced.error())) {
    RacedPoint refused;
    refused.verdict = Verdict::kInvalidArgument;
    refused.message = raced.error().message;
    return refused;
  }
  return raced;
}

}  // namespace ws
