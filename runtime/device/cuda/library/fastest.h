// Which of some ways to answer a call is used.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/device/cuda/worker/context.h"

namespace ws::cuda {

/// Runs each way once, which may load its code, and then a few times as a benchmark does: a graph
/// whose events are about the call, behind the writing of what flushes the cache. Ways that fail
/// are left out.
/// @param enqueue  On the context's stream, which may be captured.
/// @return The number of the first way, or of the one whose shortest run is the shortest if that is
/// clearly shorter than the first's. @errors Those of the last way that failed, where none works;
/// kUnsupported: there is none; as Driver::check.
Result<std::size_t> fastest(Context& context, std::size_t count,
                            const std::function<Status(std::size_t)>& enqueue);

}  // namespace ws::cuda
