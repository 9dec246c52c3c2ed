#include "runtime/evaluate/measure/speed_comparison.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/clock.h"
#include "runtime/base/keyed_stream.h"
#include "runtime/base/numbers.h"
#include "runtime/base/retry.h"
#include "runtime/bench/sessions.h"
#include "runtime/evaluate/measure/library_side.h"
#include "runtime/evaluate/measure/workload_cost.h"

namespace ws {
namespace {

/// Compiles one side; a side that does not run is an error or ends the measurement.
Result<Compiled> compile_side(Backend& backend, const Subject& subject, const Kernel& kernel,
                              const Workload& workload, const Params& params,
                              const std::stop_token& stop) {
  WS_TRY(Compiled compiled, compile_for(backend, subject.problem, kernel, workload, params,
                                        {.build = Build::kFast}, stop));
  if (!compiled.ok()) {
    return fail(ErrorCode::kUnsupported,
                (kernel.id.empty() ? "the reference" : kernel.id) + " does not run on " +
                    to_json_text(workload) + ": " +
                    verdict_text(compiled.verdict, compiled.message),
                "choose another baseline or other workloads");
  }
  return compiled;
}

/// On an emulated device a comparison takes at least so many sessions, and so many of each
/// workload.
constexpr std::size_t kSessions = 6;
constexpr std::size_t kSessionsOfWorkload = 3;
/// The number of sessions when they take far longer than the budget.
constexpr std::size_t kFewestSessions = 4;
/// A session that is one of many may be short and coarse: what counts is how they differ.
constexpr int kBlocksOfSession = 4;
constexpr double kSessionMs = 20;
constexpr double kSessionHalfWidth = 0.03;

std::string sample_text(const TimedSoFar& so_far) {
  return std::to_string(so_far.samples) + (so_far.samples == 1 ? " sample" : " samples") + " of " +
         fixed_digits(so_far.kernel_us, so_far.kernel_us < 100 ? 2 : 0) + " us, noise " +
         fixed_digits(100 * so_far.noise, 1) + " %";
}

std::string ratio_text(double ratio) {
  return fixed_digits(ratio, 2) + "x";
}

/// A comparison of two kernels on workloads, session by session.
class SpeedComparison {
 public:
  SpeedComparison(Backend& backend, const Subject& subject, const BenchmarkRequest& request,
                  const CallContext& context, bool emulated)
      : backend_(backend),
        subject_(subject),
        request_(request),
        context_(context),
        emulated_(emulated) {
    measurement_.noise_floor = request.noise_floor.ratio;
  }

  Result<Measurement> run(const std::vector<TimedWorkload>& chosen) {
    for (const TimedWorkload& timed : chosen) {
      measurement_.workloads.push_back({timed.workload, timed.shrunk_from, {}, {}, {}, {}});
    }
    const std::size_t rounds = rounds_for(chosen.size());
    const double budget = request_.time_budget_ms / static_cast<double>(chosen.size() * rounds);
    const auto start = Clock::now();
    for (std::size_t round = 0; round < rounds; ++round) {
      if (round >= kSessionsOfWorkload && sessions_.size() >= kFewestSessions &&
          elapsed_ms(start) > request_.time_budget_ms) {
        break;
      }
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        report(round * chosen.size() + i, rounds * chosen.size());
        const bool last = round + 1 == rounds && i + 1 == chosen.size();
        WS_TRY(const bool fair, session(i, budget, last));
        if (!fair) {
          return std::move(measurement_);
        }
      }
    }
    conclude();
    return std::move(measurement_);
  }

 private:
  [[nodiscard]] bool repeats() const { return emulated_ && !request_.baseline.none; }

  [[nodiscard]] std::size_t rounds_for(std::size_t workloads) const {
    return repeats() ? std::max(kSessionsOfWorkload, (kSessions + workloads - 1) / workloads) : 1;
  }

  void report(std::size_t done, std::size_t all) {
    done_ = done;
    all_ = all;
    std::string text = timing_text();
    const PairedResult& first = measurement_.workloads.front().times;
    if (!first.log_ratios.empty() && !first.resolution_limited && !request_.baseline.none) {
      const Interval& ratio = first.ratio_ci;
      text += "; so far " + ratio_text(ratio.low) + " to " + ratio_text(ratio.high);
    }
    context_.report(static_cast<double>(done) / static_cast<double>(all), std::move(text));
  }

  [[nodiscard]] std::string timing_text() const {
    return "timing, " + std::to_string(done_ + 1) + " of " + std::to_string(all_);
  }

  /// Reports within one session.
  void report(const TimedSoFar& so_far, double budget_ms) const {
    const double within = std::min(1.0, so_far.spent_ms / budget_ms);
    context_.report((static_cast<double>(done_) + within) / static_cast<double>(all_),
                    timing_text() + ": " + sample_text(so_far));
  }

  [[nodiscard]] PairedMeasurementOptions options_for(double budget_ms) {
    PairedMeasurementOptions options;
    options.secret = derive_seed(request_.secret, "session", duels_++);
    options.hot = request_.hot;
    options.batch = request_.batch;
    options.paired.time_budget_ms = budget_ms;
    if (context_.progress) {
      options.progress = [this, budget_ms](const TimedSoFar& so_far) { report(so_far, budget_ms); };
    }
    if (repeats()) {
      options.paired.twin = true;
      options.paired.min_blocks = kBlocksOfSession;
      options.paired.min_time_ms = kSessionMs;
      options.paired.target_half_width = kSessionHalfWidth;
    } else if (!request_.baseline.none) {
      options.paired.noise_floor = request_.noise_floor;
    }
    return options;
  }

  Result<Compiled> compile_baseline(const Workload& workload, const Compiled& kernel) {
    const Baseline& baseline = request_.baseline;
    if (baseline.module) {
      return module_side(subject_.problem, kernel, *baseline.module);
    }
    if (baseline.library) {
      return library_side(subject_.problem, kernel);
    }
    // The kernel with other parameters is a baseline too: it runs at its defaults.
    const Params& params = baseline.none ? request_.params : baseline.kernel.defaults;
    return compile_side(backend_, subject_, baseline.kernel, workload, params, context_.stop);
  }

  Result<PairedMeasurementResult> paired(std::size_t workload, double budget_ms, bool last) {
    WorkloadTimes& row = measurement_.workloads[workload];
    WS_TRY(const Compiled kernel, compile_side(backend_, subject_, subject_.kernel, row.workload,
                                               request_.params, context_.stop));
    WS_TRY(row.cost, workload_cost(subject_.problem, row.workload, kernel.plan, request_));
    WS_TRY(const Compiled baseline, compile_baseline(row.workload, kernel));
    WS_TRY(const CoreGate::Hold quiet, backend_.quiet(context_.stop));
    PairedMeasurementOptions options = options_for(budget_ms);
    if (request_.baseline.library) {
      WS_TRY(options.library, library_call(*request_.baseline.library, subject_.problem,
                                           baseline.plan, row.workload));
    }
    WS_TRY(const std::unique_ptr<PairedMeasurement> paired,
           PairedMeasurement::start(backend_, subject_.problem, row.workload, kernel, baseline,
                                    options, context_.stop));
    WS_TRY(PairedMeasurementResult result, paired->run(context_.stop));
    if (!result.problem_found.empty()) {
      return result;
    }
    const std::string impossible =
        below_floor(request_.ceilings, row.cost, median(result.times.kernel_us));
    if (impossible.empty() && last) {
      paired->mark_verified();
    }
    if (!impossible.empty()) {
      result.problem_found = "the kernel on " + to_json_text(row.workload) + " " + impossible;
    }
    return result;
  }

  /// @return  False: it passed validation and is wrong when timed. It tells the two apart, or it is
  ///          flaky.
  Result<bool> session(std::size_t workload, double budget_ms, bool last) {
    WS_TRY(PairedMeasurementResult found, paired(workload, budget_ms, last));
    if (!found.problem_found.empty()) {
      measurement_.verdict = Verdict::kSuspect;
      measurement_.message = found.problem_found;
      measurement_.fault = found.fault;
      return false;
    }
    WorkloadTimes& row = measurement_.workloads[workload];
    if (!found.times.resolution_limited) {
      sessions_.push_back({workload, std::log(found.times.ratio), found.times.twin_log_ratio});
    }
    row.times = join(std::move(row.times), std::move(found.times));
    row.clocks = std::move(found.clocks);
    row.library = std::move(found.library);
    return true;
  }

  /// The sessions of one workload, as one.
  static PairedResult join(PairedResult all, PairedResult next) {
    if (all.log_ratios.empty()) {
      return next;
    }
    all.kernel_us.insert(all.kernel_us.end(), next.kernel_us.begin(), next.kernel_us.end());
    all.baseline_us.insert(all.baseline_us.end(), next.baseline_us.begin(), next.baseline_us.end());
    all.log_ratios.insert(all.log_ratios.end(), next.log_ratios.begin(), next.log_ratios.end());
    all.resolution_limited = all.resolution_limited || next.resolution_limited;
    all.stop = next.stop;
    const Interval interval = bootstrap_median(all.log_ratios);
    all.ratio = std::exp(median(all.log_ratios));
    all.ratio_ci = {std::exp(interval.low), std::exp(interval.high)};
    return all;
  }

  void conclude() {
    if (request_.baseline.none) {
      measurement_.verdict = Verdict::kInconclusive;
      return;
    }
    std::erase_if(sessions_, [this](const SessionRatio& session) {
      return measurement_.workloads[session.workload].times.resolution_limited;
    });
    if (sessions_.empty()) {
      conclude_limited();
      return;
    }
    std::vector<double> ratios;
    std::vector<std::vector<double>> log_ratios;
    for (const WorkloadTimes& row : measurement_.workloads) {
      if (!row.times.resolution_limited) {
        ratios.push_back(row.times.ratio);
        log_ratios.push_back(row.times.log_ratios);
      }
    }
    measurement_.ratio = geometric_mean(ratios);
    measurement_.ratio_ci = bootstrap_geomean(log_ratios);
    measurement_.noise_floor = floor_of_all();
    measurement_.verdict = verdict_of(measurement_.ratio_ci, measurement_.noise_floor);
    for (WorkloadTimes& row : measurement_.workloads) {
      row.verdict = row.times.resolution_limited
                        ? Verdict::kResolutionLimited
                        : verdict_of(row.times.ratio_ci, floor_of(row, ratios.size()));
    }
  }

  void conclude_limited() {
    measurement_.verdict = Verdict::kResolutionLimited;
    measurement_.message =
        "a launch takes less time than starting one here: larger workloads can be compared";
    for (WorkloadTimes& row : measurement_.workloads) {
      row.verdict = Verdict::kResolutionLimited;
    }
  }

  [[nodiscard]] double floor_of_all() const {
    if (emulated_) {
      return summarise(sessions_).noise_floor;
    }
    std::vector<double> floors;
    floors.reserve(measurement_.workloads.size());
    for (const WorkloadTimes& row : measurement_.workloads) {
      floors.push_back(1 + row.times.noise_at(request_.noise_floor));
    }
    return geometric_mean(floors) - 1;
  }

  [[nodiscard]] double floor_of(const WorkloadTimes& row, std::size_t workloads) const {
    return emulated_ ? floor_of_part(measurement_.noise_floor, workloads)
                     : row.times.noise_at(request_.noise_floor);
  }

  static Verdict verdict_of(const Interval& ratio_ci, double floor) {
    switch (judge_speed(ratio_ci, floor)) {
      case SpeedVerdict::kFaster:
        return Verdict::kFaster;
      case SpeedVerdict::kSlower:
        return Verdict::kSlower;
      case SpeedVerdict::kEquivalent:
        return Verdict::kEquivalent;
      case SpeedVerdict::kInconclusive:
        break;
    }
    return Verdict::kInconclusive;
  }

  Backend& backend_;
  const Subject& subject_;
  const BenchmarkRequest& request_;
  const CallContext& context_;
  const bool emulated_;
  std::size_t done_ = 0;  // sessions
  std::size_t all_ = 1;
  std::uint64_t duels_ = 0;
  std::vector<SessionRatio> sessions_;
  Measurement measurement_;
};

}  // namespace

Result<Measurement> compare_speed(Backend& backend, const Subject& subject,
                                  const BenchmarkRequest& request,
                                  const std::vector<TimedWorkload>& chosen,
                                  const CallContext& context) {
  WS_TRY(const DeviceInfo device, backend.info());
  return retry_when_lost([&] {
    return SpeedComparison(backend, subject, request, context, device.emulated).run(chosen);
  });
}

}  // namespace ws
