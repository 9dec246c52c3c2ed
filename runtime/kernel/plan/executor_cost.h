// How long CuIR's executor takes for a workload.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// In the units of cost_of: it takes as long for one element that it loads or stores as for some
/// fifty operations. Saturates at the largest int64.
/// @errors kInvalidArgument: an expression fails.
Result<std::int64_t> executor_cost_of(const Problem& problem, const Workload& workload);

}  // namespace ws
