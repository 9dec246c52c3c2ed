// Textures: from expressions to numbers, checked so that one that no device can make is refused
// before anything runs.
#pragma once

#include <string>

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// @param buffer  The one that it is of; `index` is its place in the plan.
/// @param path    "launches[0].args[1]", for messages.
/// @errors kInvalidArgument: an expression fails; an element type that textures do not have, or
///         that the filter or the way of reading does not go with; a size beyond the hardware's, or
///         beyond the buffer.
/// @source CUDA Programming Guide, technical specifications per compute capability.
Result<Texture> resolve_texture(const TextureSpec& spec, const BufferSpec& buffer, int index,
                                const Bindings& names, const std::string& path);

}  // namespace ws
