// Checks of a request for times, and of a worker's reply, that every device makes.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/device/backend.h"

namespace ws {

/// @errors kInvalidArgument: too few or too many launches.
Status check_launches(const TimingRequest& request);

/// That a run without a fault has one sample for each launch. @param who  "a GPU worker".
/// @errors kInternal: it has not.
Status check_samples(const TimingOutcome& outcome, const TimingRequest& request,
                     const std::string& who);

}  // namespace ws
