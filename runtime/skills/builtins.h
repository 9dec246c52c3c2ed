// Passes that a machine can make: each finds its places in the kernel's text and proposes edits,
// which are judged like those of a client.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/skills/transformation.h"

namespace ws {

/// {"edits": [...], "set": {...}} in the form of edit_kernel, either one absent where it is empty.
///
/// introduce_parameters  `constexpr int NAME = 16;`, `#define NAME 16` and numbers of a launch's
/// block
///                       become @NAME@ with 8, 16 and 32 to choose from
/// unroll                `#pragma unroll`, in shaders `[unroll]`, before each innermost loop whose
///                       end is a constant
/// block_swizzle         blocks of a two-dimensional grid in groups of @GROUP@ rows; not in shaders
/// pad_shared            the last extent of two-dimensional shared arrays grows by @PAD@
///
/// @param builtin  One of builtin_passes().
/// @errors kInvalidArgument: there is no place for it in this kernel.
Result<nlohmann::json> propose_edits(const std::string& builtin, const Kernel& kernel);

}  // namespace ws
