// A verification in the contract's form.
#pragma once

#include "tools/answer/typed_job.h"
#include "tools/programs/verification.h"

namespace ws {

/// A verification and its request.
struct VerifiedProgram {
  VerifyRequest request;
  Verification verification;
  bool full = false;  ///< Reports all findings and diagnostics, not only the first ones.
};

/// The answer that shows a verification to a client.
Answer answer_of(const VerifiedProgram& program);

}  // namespace ws
