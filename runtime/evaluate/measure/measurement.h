// A benchmark: paired measurements, one or more for each workload, and their common verdict.
#pragma once

#include <string>
#include <vector>

#include "runtime/bench/roofline.h"
#include "runtime/evaluate/measure/baseline.h"
#include "runtime/evaluate/measure/paired_measurement.h"

namespace ws {

/// The most workloads of a kernel that are timed.
inline constexpr std::size_t kMaxWorkloadsTimed = 16;

struct TimedWorkload {
  Workload workload;
  std::optional<Workload> shrunk_from;
};

/// The workloads that are timed: those of `asked` (empty: the problem's own) that the kernel covers
/// with these parameters, made smaller for an emulated device, each once.
/// @errors kInvalidArgument: no workload left by constraints; an expression fails.
Result<std::vector<TimedWorkload>> timed_workloads(const Subject& subject,
                                                   const std::vector<Workload>& asked,
                                                   const Params& params, bool emulated);

struct BenchmarkRequest {
  std::vector<Workload> workloads;  ///< Empty: the problem's own.
  Params params;
  Baseline baseline;
  bool hot = false;
  double time_budget_ms = 2000;
  std::uint64_t secret = 0;
  NoiseFloor noise_floor;      ///< The device's; an emulated device measures one beside each ratio.
  Ceilings ceilings;           ///< The device's; empty where there are none.
  std::uint64_t l2_bytes = 0;  ///< The size of the device's L2 cache.
  std::string batch;           ///< As RunPlan::batch.
};

struct WorkloadTimes {
  Workload workload;
  std::optional<Workload> shrunk_from;
  PairedResult times;              ///< All of its sessions.
  std::optional<Verdict> verdict;  ///< As Measurement::verdict; nothing without a baseline.
  Clocks clocks;
  WorkloadCost cost;
  std::optional<LibraryFacts> library = {};  ///< As PairedMeasurementResult::library.
};

struct Measurement {
  Verdict verdict = Verdict::kInconclusive;
  std::string message;  ///< Why suspect or resolution_limited.
  std::optional<Fault> fault;
  std::vector<WorkloadTimes> workloads;
  double ratio = 1;  ///< Geometric mean.
  Interval ratio_ci;
  double noise_floor = 0;  ///< As a ratio, at these times; the verdict's.
};

/// @errors kInvalidArgument: no workload left by constraints; kUnsupported: the baseline does not
///         run one of them; those of PairedMeasurement.
Result<Measurement> measure_kernel(Backend& backend, const Subject& subject,
                                   const BenchmarkRequest& request, const CallContext& context);

}  // namespace ws
