// Sizes that are allowed and that no validation reaches: beyond 32-bit indices, and far above all
// that was tried.
#pragma once

#include <cstdint>
#include <map>
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
  Workload workload;          ///< At which it has them.
  double bytes = 0;           ///< All arguments together.
};

/// The argument with the most elements at a workload; the first of equals.
/// @errors kInvalidArgument: a shape fails.
Result<LargeArgument> largest_argument(const Problem& problem, const Workload& workload);

/// An argument of more than kIndexRange elements at sizes that the problem and the kernel allow,
/// where none of `tried` has such a one. All dims at their largest are looked at, and each alone
/// with the others at their first listed value; so a domain whose `valid` allows only other choices
/// may be overlooked. Where the arguments would take more than `most_bytes`, the largest open dims
/// are halved until they do not; if too few elements are left then, the larger size is given.
/// @errors kInvalidArgument: an expression fails.
Result<std::optional<LargeArgument>> untried_range(const Problem& problem, const Kernel& kernel,
                                                   const Params& params,
                                                   const std::vector<Workload>& tried,
                                                   double most_bytes);

/// Sizes of this many times the largest one that was tried are far above it.
inline constexpr std::int64_t kFarAbove = 8;

/// A dim whose sizes may lie far above those that were tried.
struct UntriedSizes {
  std::string dim;
  std::int64_t tried = 0;    ///< The largest.
  std::int64_t allowed = 0;  ///< A size that problem and kernel allow, of the largest magnitude.
};

/// The open dims that may be kFarAbove times as large as tried. Halves of the domain's end are
/// looked at, for each dim alone and together with the dims that are listed with its sizes, the
/// others at their first listed value; so a domain whose `valid` allows only other choices may be
/// overlooked.
/// @param tried  The largest size of each dim in any run.
/// @errors kInvalidArgument: an expression fails.
Result<std::vector<UntriedSizes>> untried_sizes(const Problem& problem, const Kernel& kernel,
                                                const Params& params,
                                                const std::map<std::string, std::int64_t>& tried);

}  // namespace ws
