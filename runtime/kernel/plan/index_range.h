// Sizes beyond 32-bit indices: the most common ones that no validation reaches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/plan/workloads.h"

namespace ws {

/// An index of more elements does not fit a signed 32-bit one.
inline constexpr std::int64_t kIndexRange = std::int64_t{1} << 31U;

struct LargeArgument {
  std::string name;
  std::int64_t elements = 0;  ///< Saturates at the largest int64.
};

/// The argument with the most elements at a workload; the first of equals.
/// @errors kInvalidArgument: a shape fails.
Result<LargeArgument> largest_argument(const Problem& problem, const Workload& workload);

/// An argument of more than kIndexRange elements at sizes that the problem and the kernel allow,
/// where none of `tried` has such a one. All dims at their largest are looked at, and each alone
/// with the others at their first listed value; so a domain whose `valid` allows only other choices
/// may be overlooked.
/// @errors kInvalidArgument: an expression fails.
Result<std::optional<LargeArgument>> untried_range(const Problem& problem, const Kernel& kernel,
                                                   const Params& params,
                                                   const std::vector<Workload>& tried);

}  // namespace ws
