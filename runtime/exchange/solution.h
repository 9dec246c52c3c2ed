// A solution of FlashInfer-Bench as a kernel of the problem that its definition describes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/exchange/host_code.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The kernel that an exported solution has in kOwnField, or else the launches of its host code.
///
/// @param text  A solution as JSON.
/// @errors kInvalidArgument: it is no solution; kUnsupported: a language, a library or host code
///         that a plan cannot have; kConflict: an exported solution whose sources were changed.
/// @source docs/flashinfer-trace/solution.mdx of flashinfer-bench.
Result<HostPlan> kernel_of_solution(std::string_view text, const Problem& problem);

/// The digest of the sources that kOwnField has beside the kernel.
std::string digest_of_sources(const nlohmann::json& sources);

}  // namespace ws
