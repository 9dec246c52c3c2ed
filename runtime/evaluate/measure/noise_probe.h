// The kernel that is timed against itself to find a GPU's noise.
#pragma once

#include "runtime/base/result.h"
#include "runtime/device/backend.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// y[n] of x[n], in `r` steps.
Result<Problem> noise_problem();

/// In a language of the device.
Result<Kernel> noise_probe(const DeviceInfo& device, const Problem& problem);

}  // namespace ws
