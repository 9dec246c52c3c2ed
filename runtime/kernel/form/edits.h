// base + edits + set: a new kernel from an old one, by lines and by plan fields.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Applies line edits to the source and macros of `base`, and replaces plan fields.
///
/// @param edits  [{region, op, from, to, old | expect, text}] or null. Lines are 1-based,
/// inclusive,
///               and all refer to the base text; edits may not overlap.
/// @param set    {field: new value} or null; null as a value removes the field. Whole plan fields
///               only (launches, params, defaults, constraints, scratch, symbols, options, headers,
///               specialize, name): source and macros change through edits.
/// @return       The new kernel, with `parent` set to the base.
/// @errors kInvalidArgument: a malformed edit, lines out of range, an overlap, nothing to change,
///         or a new kernel that is not valid; kConflict: `old` or `expect` does not match (shows
///         the current lines with their numbers).
Result<Kernel> edit_kernel(const Problem& problem, const Kernel& base, const nlohmann::json& edits,
                           const nlohmann::json& set);

}  // namespace ws
