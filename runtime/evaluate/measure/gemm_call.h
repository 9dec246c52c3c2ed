// The matrix product that a problem asks for.
#pragma once

#include "runtime/device/library_run.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// As library_call(), of a problem with op `matmul`. The names of the extents tell: the output's
/// last two are those of the product, the third one is summed over. Where they tell nothing, as
/// with one name for all, the first input is multiplied by the second, as they are.
Result<GemmCall> gemm_call(const Problem& problem, const ResolvedPlan& plan,
                           const Workload& workload);

}  // namespace ws
