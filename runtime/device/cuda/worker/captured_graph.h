// Makes a graph of the calls that a function enqueues.
#pragma once

#include <functional>

#include "runtime/device/cuda/worker/context.h"

namespace ws::cuda {

/// Captures the context's stream while `enqueue` runs; nothing is launched.
/// @errors Those of `enqueue`, which say more than the capture that it broke; as Driver::check.
Result<Graph> captured_graph(Context& context, const std::function<Status()>& enqueue);

/// The same, ready to be launched. @errors As captured_graph().
Result<GraphExec> ready_graph(Context& context, const std::function<Status()>& enqueue);

}  // namespace ws::cuda
