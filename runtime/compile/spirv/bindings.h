// The numbers of a shader's bindings.
#pragma once

#include "runtime/base/result.h"
#include "runtime/compile/spirv/module.h"

namespace ws::spirv {

/// The same module with its bindings in set 0, numbered in the order of their declaration: what the
/// source says of sets and numbers does not matter, since arguments go by name. Its entry point
/// names variables only, where glslang names parameters of functions too.
/// @errors as instructions_of.
Result<Words> bind_in_order(const Words& words);

}  // namespace ws::spirv
