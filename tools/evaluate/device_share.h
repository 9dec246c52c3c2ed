// Many kernels of a batch on one device: those that fit it together share it, and their builds are
// made before they wait for it.
#pragma once

#include <stop_token>

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// Whether kGpuSharers such kernels have room on the device at a time.
/// @param params  The kernel's, as sent. @errors Those of compile_for and resolve_plan.
Result<bool> is_small(Device& device, const Subject& subject, const Json& params,
                      const std::stop_token& stop);

/// The build with bounds checks, which validation runs, so that it need not be compiled where
/// everybody waits for the device. What is wrong with it is validate's to say.
/// @errors Those of compile_for.
Status compile_checked(Device& device, const Subject& subject, const Json& params,
                       const std::stop_token& stop);

}  // namespace ws
