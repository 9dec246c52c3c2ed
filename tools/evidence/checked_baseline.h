// Checks the kernel that a problem names as its baseline: a wrong one may be as slow as it likes,
// and makes everything fast.
#pragma once

#include "runtime/evaluate/measure/baseline.h"
#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// Whether a baseline that is a PyTorch module or a library may be timed on the device; other
/// baselines may. @errors kUnsupported: the device is emulated, or the server runs no Python code.
Status check_outside(const Services& services, const DeviceInfo& device, const Baseline& baseline);

/// Validates the problem's own baseline, once on each device; other kernels are not looked at. A
/// verdict about its results is kept in the archive, be it good or bad.
/// @errors kConflict: it is wrong or cannot run, so that nothing can be timed against it; those of
/// validate_kernel and of the archive.
Status check_baseline(Services& services, Device& device, const Subject& subject,
                      const Baseline& baseline, const CallContext& context);

}  // namespace ws
