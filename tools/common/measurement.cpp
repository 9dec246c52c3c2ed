#include "tools/common/measurement.h"

#include <algorithm>

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
                    to_json_text(workload) + ": " + compiled.verdict + ": " + compiled.message,
                "choose another baseline or other workloads");
  }
  return compiled;
}

std::optional<double> as_double(const std::optional<std::int64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

Result<WorkloadCost> cost_of(const Problem& problem, const Workload& workload,
                             const ResolvedPlan& plan, const BenchmarkRequest& request) {
  WorkloadCost cost;
  WS_TRY(const auto flops, flops_of(problem, workload));
  WS_TRY(const auto bytes, bytes_of(problem, workload));
  cost.flops = as_double(flops);
  cost.bytes = as_double(bytes);
  cost.hot = request.hot;
  for (const BufferSpec& buffer : plan.buffers) {
    const bool written = buffer.role == BufferRole::kOut || buffer.role == BufferRole::kInout;
    cost.cacheable_bytes += written ? static_cast<double>(buffer.bytes()) : 0;
  }
  cost.cacheable_bytes = std::min(cost.cacheable_bytes, static_cast<double>(request.l2_bytes));
  for (const ArgSpec& arg : problem.args) {
    cost.types.push_back(arg.type);
  }
  return cost;
}

/// Fills in the row's cost. @param last  What the kernel did before was right.
Result<DuelResult> duel_on(Backend& backend, const Subject& subject,
                           const BenchmarkRequest& request, double budget_ms, bool last,
                           const std::stop_token& stop, WorkloadTimes& row) {
  const Workload& workload = row.workload;
  WS_TRY(const Compiled kernel,
         compile_side(backend, subject, subject.kernel, workload, request.params, stop));
  WS_TRY(row.cost, cost_of(subject.problem, workload, kernel.plan, request));
  // The kernel with other parameters is a baseline too: it runs at its defaults.
  const Params& baseline_params =
      request.baseline.none ? request.params : request.baseline.kernel.defaults;
  WS_TRY(const Compiled baseline,
         compile_side(backend, subject, request.baseline.kernel, workload, baseline_params, stop));
  DuelOptions options;
  options.secret = request.secret;
  options.hot = request.hot;
  options.kin = request.kin;
  options.paired.time_budget_ms = budget_ms;
  if (!request.baseline.none) {
    options.paired.noise_floor = request.noise_floor;
  }
  WS_TRY(const std::unique_ptr<Duel> duel,
         Duel::start(backend, subject.problem, workload, kernel, baseline, options));
  WS_TRY(DuelResult result, duel->run(stop));
  if (!result.problem_found.empty()) {
    return result;
  }
  const std::string impossible =
      below_floor(request.ceilings, row.cost, median(result.times.kernel_us));
  if (impossible.empty() && last) {
    duel->vouch();
  }
  if (!impossible.empty()) {
    result.problem_found = "the kernel on " + to_json_text(row.workload) + " " + impossible;
  }
  return result;
}

void conclude_duel(const BenchmarkRequest& request, Measurement& measurement) {
  std::vector<double> ratios;
  std::vector<double> floors;
  std::vector<std::vector<double>> log_ratios;
  for (const WorkloadTimes& row : measurement.workloads) {
    ratios.push_back(row.times.ratio);
    log_ratios.push_back(row.times.log_ratios);
    floors.push_back(1 + row.times.noise_at(request.noise_floor));
  }
  measurement.noise_floor = geometric_mean(floors) - 1;
  measurement.ratio = geometric_mean(ratios);
  measurement.ratio_ci = bootstrap_geomean(log_ratios);
  measurement.verdict =
      request.baseline.none
          ? "inconclusive"
          : std::string(name_of(judge_speed(measurement.ratio_ci, measurement.noise_floor)));
}

}  // namespace

Result<std::vector<TimedWorkload>> timed_workloads(const Subject& subject,
                                                   const std::vector<Workload>& asked,
                                                   const Params& params, bool emulated) {
  std::vector<Workload> listed = asked;
  if (listed.empty()) {
    WS_TRY(listed, expand_workloads(subject.problem));
  }
  WS_TRY(const Coverage coverage, cover(subject.problem, subject.kernel, listed, params));
  std::vector<TimedWorkload> chosen;
  for (const Workload& workload : coverage.run) {
    Shrunk shrunk{workload, std::nullopt};
    if (emulated) {
      WS_TRY(shrunk, shrink_for_emulation(subject.problem, subject.kernel, params, workload));
    }
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const TimedWorkload& other) {
      return other.workload == shrunk.workload;
    });
    if (!known && chosen.size() < kMaxWorkloadsTimed) {
      chosen.push_back({shrunk.workload, shrunk.from});
    }
  }
  return chosen;
}

Result<Measurement> measure_kernel(Backend& backend, const Subject& subject,
                                   const BenchmarkRequest& request, const CallContext& context) {
  WS_TRY(const DeviceInfo device, backend.info());
  Measurement measurement;
  measurement.noise_floor = request.noise_floor.ratio;
  WS_TRY(const std::vector<TimedWorkload> chosen,
         timed_workloads(subject, request.workloads, request.params, device.emulated));
  for (const TimedWorkload& timed : chosen) {
    measurement.workloads.push_back({timed.workload, timed.shrunk_from, {}, {}, {}});
  }
  const double budget = request.time_budget_ms / static_cast<double>(measurement.workloads.size());
  for (std::size_t i = 0; i < measurement.workloads.size(); ++i) {
    WorkloadTimes& row = measurement.workloads[i];
    context.report(static_cast<double>(i) / static_cast<double>(measurement.workloads.size()),
                   "timing workload " + std::to_string(i + 1) + " of " +
                       std::to_string(measurement.workloads.size()));
    const bool last = i + 1 == measurement.workloads.size();
    WS_TRY(DuelResult duel, duel_on(backend, subject, request, budget, last, context.stop, row));
    if (!duel.problem_found.empty()) {
      // It passed validation and is wrong when timed: it tells the two apart, or it is flaky.
      measurement.verdict = "suspect";
      measurement.message = duel.problem_found;
      measurement.fault = duel.fault;
      return measurement;
    }
    row.times = std::move(duel.times);
    row.clocks = std::move(duel.clocks);
  }
  conclude_duel(request, measurement);
  return measurement;
}

}  // namespace ws
