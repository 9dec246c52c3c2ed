// One run of a CuIR program, on one workload.
#pragma once

#include "tools/programs/verification.h"

namespace ws {

/// Runs the program on the request's workload, or on sizes from its annotations where the request
/// has no problem. @errors as verify_program().
Result<Verification> run_once(Services& services, Device& device, const VerifyRequest& request,
                              const CallContext& context);

}  // namespace ws
