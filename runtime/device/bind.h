// From a resolved plan and a compiled image to numbers a worker can launch, with every argument
// checked against the compiled entry.
#pragma once

#include <vector>

#include "runtime/device/arena.h"
#include "runtime/device/backend.h"
#include "runtime/device/run_plan.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// The entry of launch `step` of the plan. Null: the image has none of its name.
const CompiledEntry* find_entry(const Image& image, const ResolvedPlan& plan, std::size_t step);

/// Checks number and kind of the arguments against the entry's parameters, and the symbols
/// against the source's variables.
/// @errors kInvalidArgument: "launches[0] passes 3 arguments, `vadd` takes 4: (...)" and the like;
/// a symbol that the source does not define, or that is smaller than its argument.
Status check_arguments(const ResolvedPlan& plan, const Image& image);

/// Where the plan's buffers lie, in their order. @param arena  Made for them.
std::vector<RunRange> bind_buffers(const ResolvedPlan& plan, const Arena& arena);

/// @errors as check_arguments.
Result<RunPlan> bind_plan(const ResolvedPlan& plan, const Image& image, const Arena& arena);

}  // namespace ws
