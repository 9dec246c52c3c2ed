// Tuning parameters: chooses a point, and finds the points that the constraints prune.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Most points of a space that are looked at one by one; larger spaces are sampled.
inline constexpr std::size_t kMaxEnumeratedPoints = 65536;

/// The kernel's defaults with `requested` laid over them.
/// @errors kInvalidArgument: an unknown parameter, or a value that the kernel does not list.
Result<Params> choose_params(const Kernel& kernel, const Params& requested);

/// The first constraint that `params` breaks on `workload`, as written; empty when all hold.
/// @errors kInvalidArgument: a constraint cannot be evaluated ("constraints[1]: ...").
Result<std::string> broken_constraint(const Problem& problem, const Kernel& kernel,
                                      const Workload& workload, const Params& params);

/// Number of points in the space, without constraints; saturates at the largest int64.
std::int64_t count_points(const Kernel& kernel);

/// Every point that holds on all of `workloads`, parameters in name order, last one fastest.
/// @errors kInvalidArgument: over kMaxEnumeratedPoints points, or a constraint that cannot be
///         evaluated.
Result<std::vector<Params>> valid_points(const Problem& problem, const Kernel& kernel,
                                         const std::vector<Workload>& workloads);

/// Up to `count` distinct points that hold on all of `workloads`, without the defaults, in random
/// order; the same ones for the same seed. Fewer when the space has no more or they are rare.
/// @errors kInvalidArgument: a constraint cannot be evaluated.
Result<std::vector<Params>> sample_points(const Problem& problem, const Kernel& kernel,
                                          const std::vector<Workload>& workloads, std::size_t count,
                                          std::uint64_t seed);

}  // namespace ws
