// Tensor maps: from expressions to numbers, with every rule of the driver checked on the way, so
// that a map that cannot be made is refused before anything runs.
#pragma once

#include <string>

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// Dimensions. @source CUDA Driver API: cuTensorMapEncodeTiled.
inline constexpr std::size_t kMaxMapRank = 5;

/// @param buffer  The one that the map is of; `index` is its place in the plan.
/// @param path    "tensor_maps[0]", for messages.
/// @errors kInvalidArgument: an expression fails; a shape without strides that is not the buffer's;
///         a rank, extent, stride or box that the hardware cannot walk; a map that reaches beyond
///         its buffer.
/// @source CUDA Driver API: cuTensorMapEncodeTiled.
Result<TensorMap> resolve_tensor_map(const TensorMapSpec& spec, const BufferSpec& buffer, int index,
                                     const Bindings& names, const std::string& path);

}  // namespace ws
