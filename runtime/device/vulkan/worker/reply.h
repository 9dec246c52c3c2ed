// The reports of a run's launches as the reply of a worker.
#pragma once

#include "runtime/device/run_plan.h"
#include "runtime/device/run_reply.h"
#include "runtime/device/vulkan/worker/arguments.h"

namespace ws::vulkan {

/// The first access out of bounds, or loop that did not end; well where there was none.
/// @param processor  The device ends loops by itself (spirv::kMostTurns).
RunReply reply_of(const Load& load, const Pipelines& pipelines, const ArgumentSets& arguments,
                  bool processor);

}  // namespace ws::vulkan
