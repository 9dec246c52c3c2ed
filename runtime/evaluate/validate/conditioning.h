// The amount by which an output may be off because its problem is ill conditioned: asked only where
// a kernel is a little beyond its bound, so it costs nothing where kernels are correct.
#pragma once

#include "runtime/evaluate/validate/reference.h"

namespace ws {

struct NudgeRequest {
  Distribution distribution = Distribution::kDeclared;
  std::uint64_t seed = 0;       ///< The seed of the inputs, as drawn,
  double reduction_length = 1;  ///< and the length that they were drawn for.
  Doubt doubt;
  std::chrono::milliseconds limit{30'000};
};

/// Runs the reference a few times on inputs that differ by as much as honest rounding. Its
/// arena holds the outputs of the inputs as drawn, before and after; inputs are not kept.
/// @return  Empty when the reference went wrong on such inputs: it cannot run again then.
/// @errors kCancelled; those of filling inputs.
Result<Slacks> slacks_of(Reference& reference, const Problem& problem, const NudgeRequest& request,
                         const std::stop_token& stop);

}  // namespace ws
