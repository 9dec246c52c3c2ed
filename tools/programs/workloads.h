// The workloads that a program is verified on where the caller names none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/workloads.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The smallest workload that the problem lists, shrunk where it may be.
/// @param kernel  Its constraints hold, too.
/// @errors kInvalidArgument: none is left by constraints.
Result<Shrunk> small_workload(const Problem& problem, const Kernel& kernel);

/// Others that the problem allows and that are cheap, at most eight. Dims that are not open stay as
/// they are, as programs are often written for one of their sizes, and so do those that are
/// compiled into the kernel. Mistakes of stages and phases show only when a loop makes more rounds
/// than there are stages, or a single one: the smallest sizes of all dims, each dim alone several
/// times as large and ragged, each dim alone as small as it may be while the others are large, and
/// hidden sizes (hidden_workloads).
/// @param small  small_workload().
/// @errors kInvalidArgument: an expression fails.
Result<std::vector<Workload>> other_workloads(const Problem& problem, const Kernel& kernel,
                                              const Workload& small, std::uint64_t seed);

}  // namespace ws
