// A verification in the contract's form.
#pragma once

#include "tools/tool.h"
#include "tools/verify_ir/verification.h"

namespace ws {

/// @param full  All findings and diagnostics, not only the first ones.
Json report(const VerifyRequest& request, const Verification& verification, bool full);

}  // namespace ws
