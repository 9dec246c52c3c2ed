// From the JSON that clients send to Problem and Kernel, with every field, type and limit checked.
//
// An error names the path ("kernel.launches[0].grid[1]"), what was expected and what came; an
// unknown field also the nearest known one. Parts of the contract that this version does not run
// (tensor maps, type parameters, clusters) are kUnsupported, by name.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Reads a problem.
///
/// A reference of kind `kernel` is read as a kernel of this problem. Its `launches` may be empty
/// when `entry` is given: then one launch is derived, with a 1-D grid over the first output's
/// elements in blocks of 256 and these arguments: the buffers in declared order, the scalars in
/// declared order, the dims in name order (JSON objects have no other). `acc_t` in the source of a
/// trusted reference is double, through -Dacc_t=double, unless the source declares it. The source
/// of kind `cuir` or `python` is only read here: what it is worth, HostWorkers::open says.
///
/// @errors kInvalidArgument, kUnsupported.
Result<Problem> problem_from_json(const nlohmann::json& json);

/// The same from text; also checks that it is JSON, at most 64 levels deep.
Result<Problem> parse_problem(std::string_view json_text);

/// Reads a kernel of `problem`. A `problem_id` in the form must be the problem's; when absent it is
/// added, so that both spellings have one id. `parent` stays empty.
/// @errors kInvalidArgument, kUnsupported; kConflict: the form names another problem.
Result<Kernel> kernel_from_json(const nlohmann::json& json, const Problem& problem);
Result<Kernel> parse_kernel(std::string_view json_text, const Problem& problem);

/// Fixes a problem whose reference is `first_kernel`: the same problem with `kernel` (at its
/// defaults) as a reference of kind `kernel` and `trusted` false, so with another id. Read the
/// kernel again for the new problem (its JSON without `problem_id`) to get its id there.
/// @errors kConflict: the problem has a reference already.
Result<Problem> resolve_first_kernel(const Problem& problem, const Kernel& kernel);

}  // namespace ws
