// The fastest of some ways to answer a call.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/device/cuda/worker/context.h"

namespace ws::cuda {

/// Runs each way once, which may load its code, and then a few times between events. Ways that
/// fail are left out. @param enqueue  On the context's stream.
/// @return The number of the one whose shortest run is the shortest. @errors Those of the last way
/// that failed, where none works; kUnsupported: there is none; as Driver::check.
Result<std::size_t> fastest(Context& context, std::size_t count,
                            const std::function<Status(std::size_t)>& enqueue);

}  // namespace ws::cuda
