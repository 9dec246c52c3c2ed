// A solution of FlashInfer-Bench as a kernel of the problem that its definition describes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/exchange/host_code.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The kernel that an exported solution has in kOwnField, or else the launches of its host code.
///
/// @param text  A solution as JSON.
/// @errors kInvalidArgument: it is no solution; kUnsupported: a language, a library or host code
///         that a plan cannot have; kConflict: an exported solution that was changed, and where.
/// @source docs/flashinfer-trace/solution.mdx of flashinfer-bench.
Result<HostPlan> kernel_of_solution(std::string_view text, const Problem& problem);

}  // namespace ws
