// Launches of shaders, whose arguments go by name: to a binding, or to a number of a block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/compile/compile.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// @param name  One that check_names() has found.
const LaunchArg& argument_named(const LaunchStep& step, std::string_view name);

/// That every parameter of the entry has one argument and every argument a parameter, that buffers
/// hold what the shader takes, and that the launch's block is the one that the source says.
/// @param where  "launches[0]".
/// @errors kInvalidArgument: naming both sides.
Status check_names(const LaunchStep& step, const CompiledEntry& entry,
                   const std::vector<BufferSpec>& buffers, const std::string& where);

}  // namespace ws
