// Kernel against baseline on all workloads, in as many sessions as the device needs for a verdict.
#pragma once

#include <vector>

#include "runtime/evaluate/measure/measurement.h"

namespace ws {

/// On a GPU one session of each workload, judged by the device's noise floor. On an emulated device
/// several, each in fresh workers and with the baseline's twin beside it: the difference between
/// equals is measured with each comparison. Workloads whose launches are too short to be timed do
/// not count.
/// @errors as measure_kernel().
Result<Measurement> compare_speed(Backend& backend, const Subject& subject,
                                  const BenchmarkRequest& request,
                                  const std::vector<TimedWorkload>& chosen,
                                  const CallContext& context);

}  // namespace ws
