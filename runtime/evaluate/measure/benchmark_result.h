// The reported form of a benchmark: the results of its samples, beside what the device can do.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/evaluate/measure/measurement.h"

namespace ws {

/// Times are in microseconds.
struct WorkloadResult {
  /// The same workload of the baseline.
  struct Against {
    double median_us = 0;
    double ratio = 1;  ///< The baseline's time over the kernel's.
    Interval ratio_ci;
    Verdict verdict = Verdict::kInconclusive;
  };

  Workload workload;
  std::optional<Workload> shrunk_from;
  double median_us = 0;
  double p5_us = 0;
  double p95_us = 0;
  std::size_t samples = 0;
  std::optional<double> tflops;  ///< Nothing where the problem does not say its flops.
  std::optional<double> gbps;    ///< Nothing where it does not say its bytes.
  std::optional<Roofline> limit;
  std::string stopped_by;               ///< As StopReason's names.
  std::optional<Against> against;       ///< Nothing without a baseline.
  std::optional<LibraryFacts> library;  ///< The baseline's code, if it is a library.
};

/// The device's clocks over all workloads. All is 0 or empty where the device does not tell them.
struct ClockSummary {
  double sm_mhz = 0;
  double memory_mhz = 0;
  double throttled_share = 0;  ///< A part of the launches, 0 to 1.
  std::set<std::string> throttle_reasons;
  std::int64_t processes = 0;
};

struct BenchmarkResult {
  /// The speed-up over all workloads.
  struct Ratio {
    double value = 1;
    Interval ci;
  };

  Verdict verdict = Verdict::kInconclusive;
  std::string message;  ///< Why it is kSuspect or kResolutionLimited; then there are no workloads.
  std::optional<Fault> fault;
  bool emulated = false;
  bool hot = false;
  double noise_floor = 0;
  ClockSummary clocks;
  std::vector<WorkloadResult> workloads;
  std::string baseline;        ///< Kernel id or "reference"; empty: none, or it does not matter.
  std::optional<Ratio> ratio;  ///< Nothing without a baseline.

  /// The library behind the baseline; null where it is none. Its algorithms differ by workload.
  [[nodiscard]] const LibraryFacts* library() const {
    return workloads.empty() || !workloads.front().library ? nullptr : &*workloads.front().library;
  }
};

/// The speed of the kernel as a percentage of the library's that `ratio` is against.
constexpr double percent_of_library(double ratio) {
  return ratio * 100;
}

/// Summarises a measurement. @param emulated  Whether the device is emulated.
BenchmarkResult summarise(const Measurement& measurement, const BenchmarkRequest& request,
                          bool emulated);

}  // namespace ws
