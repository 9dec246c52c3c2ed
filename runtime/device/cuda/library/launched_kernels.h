// The kernels behind a library's call.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/device/cuda/worker/context.h"

namespace ws::cuda {

/// Their names, in the order of the graph that a capture of `enqueue` makes; none where the driver
/// does not tell (before CUDA 12.3). @errors As captured_graph().
Result<std::vector<std::string>> launched_kernels(Context& context,
                                                  const std::function<Status()>& enqueue);

}  // namespace ws::cuda
