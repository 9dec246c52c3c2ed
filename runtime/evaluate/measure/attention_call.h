// The attention that a problem asks for.
#pragma once

#include "runtime/device/library_run.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// As library_call(), of a problem with op `attention`. Whether its queries see later keys is not
/// in its arguments: `causal` says it.
Result<AttentionCall> attention_call(const Problem& problem, const ResolvedPlan& plan,
                                     const Workload& workload, bool causal);

}  // namespace ws
