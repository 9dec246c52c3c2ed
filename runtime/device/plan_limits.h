// Compares a plan with a device: its features, and how much of everything it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/device/backend.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// "launches[2]": how messages name a launch.
std::string launch_name(std::size_t index);

/// The threads of a block: those of the launch, or as many as a compiler of tiles chose.
std::int64_t block_threads(const LaunchStep& step, const CompiledEntry& entry);

/// One sentence about a feature that the plan uses and the device lacks; "" when it lacks
/// none.
std::string unsupported_feature(const ResolvedPlan& plan, const DeviceInfo& device);

/// Checks the buffers, and grid, block and shared memory of each launch, against the device.
/// Returns the reason why they do not fit, or "": a kernel that asks for too much gets the verdict
/// resource_limit, not an error.
std::string over_limit(const ResolvedPlan& plan, const Image& image, const DeviceLimits& limits);

}  // namespace ws
