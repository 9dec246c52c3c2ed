// Whether a problem can tell a right kernel from a wrong one: asked once for each problem, before
// its first reward.
//
// Answers that need no work must fail on it; each input must matter; its reference must give the
// same results for the same inputs; its tolerance must not accept anything. A problem that fails
// one of these is weak: kernels still run on it, but a pass says little, and no reward is paid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/validate/reference.h"

namespace ws {

/// Sentences that say why a problem is weak; none: it is sound.
using Weaknesses = std::vector<std::string>;

/// Runs the reference of a problem a few times on one of its workloads.
/// @param secret  All draws come from it.
/// @return  Nothing where the reference could not be used, which a validation reports.
/// @errors kCancelled; those of running the reference.
Result<std::optional<Weaknesses>> find_weaknesses(Reference& reference,
                                                  const ErrorModel& error_model,
                                                  std::uint64_t secret,
                                                  const std::stop_token& stop);

}  // namespace ws
