// The work of a workload that its times are compared with.
#pragma once

#include "runtime/bench/roofline.h"
#include "runtime/evaluate/measure/measurement.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// By the problem's own expressions, and by the buffers of its kernel's plan.
/// @errors kInvalidArgument: an expression of the problem fails.
Result<WorkloadCost> workload_cost(const Problem& problem, const Workload& workload,
                                   const ResolvedPlan& plan, const BenchmarkRequest& request);

}  // namespace ws
