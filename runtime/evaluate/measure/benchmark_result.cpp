#include "runtime/evaluate/measure/benchmark_result.h"

#include <algorithm>

#include "runtime/bench/statistics.h"

namespace ws {
namespace {

constexpr double kPerTera = 1e12;
constexpr double kPerGiga = 1e9;

/// Work per second in units of `unit` per second; nothing where the work or the time is not known.
std::optional<double> rate_of(const std::optional<double>& work, double us, double unit) {
  return work && us > 0 ? std::optional(*work / (us * 1e-6) / unit) : std::nullopt;
}

WorkloadResult result_of(const WorkloadTimes& row, const BenchmarkRequest& request) {
  WorkloadResult result;
  result.workload = row.workload;
  result.shrunk_from = row.shrunk_from;
  result.median_us = median(row.times.kernel_us);
  result.p5_us = percentile(row.times.kernel_us, 5);
  result.p95_us = percentile(row.times.kernel_us, 95);
  result.samples = row.times.kernel_us.size();
  result.tflops = rate_of(row.cost.flops, result.median_us, kPerTera);
  result.gbps = rate_of(row.cost.bytes, result.median_us, kPerGiga);
  result.limit = roofline(request.ceilings, row.cost, result.median_us);
  result.stopped_by = name_of(row.times.stop);
  if (!request.baseline.none) {
    result.against = {.median_us = median(row.times.baseline_us),
                      .ratio = row.times.ratio,
                      .ratio_ci = row.times.ratio_ci,
                      .verdict = row.verdict.value_or(Verdict::kInconclusive)};
  }
  result.library = row.library;
  return result;
}

ClockSummary clocks_of(const std::vector<WorkloadTimes>& workloads) {
  ClockSummary summary;
  std::vector<double> sm_mhz;
  std::int64_t launches = 0;
  std::int64_t throttled = 0;
  for (const WorkloadTimes& row : workloads) {
    if (row.clocks.sm_mhz > 0) {
      sm_mhz.push_back(row.clocks.sm_mhz);
      summary.memory_mhz = row.clocks.memory_mhz;
    }
    summary.throttle_reasons.insert(row.clocks.throttle_reasons.begin(),
                                    row.clocks.throttle_reasons.end());
    launches += row.clocks.launches;
    throttled += row.clocks.throttled;
    summary.processes = std::max(summary.processes, row.clocks.processes);
  }
  if (sm_mhz.empty()) {
    return {};
  }
  summary.sm_mhz = median(sm_mhz);
  summary.throttled_share = static_cast<double>(throttled) / static_cast<double>(launches);
  return summary;
}

}  // namespace

BenchmarkResult summarise(const Measurement& measurement, const BenchmarkRequest& request,
                          bool emulated) {
  BenchmarkResult result;
  result.verdict = measurement.verdict;
  result.message = measurement.message;
  result.emulated = emulated;
  result.hot = request.hot;
  result.noise_floor = measurement.noise_floor;
  result.clocks = clocks_of(measurement.workloads);
  if (!measurement.message.empty()) {
    result.fault = measurement.fault;
    return result;
  }
  for (const WorkloadTimes& row : measurement.workloads) {
    result.workloads.push_back(result_of(row, request));
  }
  if (!request.baseline.none) {
    result.baseline = request.baseline.id;
    result.ratio = {.value = measurement.ratio, .ci = measurement.ratio_ci};
  }
  return result;
}

}  // namespace ws
