// The amount by which an output may be off because its problem is ill conditioned, because its rows
// are long sums, or because it is too small to show the usual size of its values. The reference is
// run again to find out, only where a kernel is beyond its bound: it costs nothing where kernels
// are correct.
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

/// Runs the reference a few times on inputs that differ by as much as honest rounding, and once on
/// inputs of which every other column differs, to see which rows are sums over their columns. Its
/// arena holds the outputs of the inputs as drawn, before and after; inputs are not kept.
/// @return  Empty when the reference went wrong on such inputs, and where an error that is far is
/// no rounding.
/// @errors kCancelled; those of filling inputs.
Result<Slacks> slacks_of(Reference& reference, const Problem& problem, const NudgeRequest& request,
                         const std::stop_token& stop);

/// The largest values of outputs that do not show their usual size (shows_usual_size), over a few
/// draws. The reference's arena holds the outputs of the inputs as drawn, before and after; inputs
/// are not kept.
/// @return  Only of draws on which the reference ran and gave finite values.
/// @errors kCancelled; those of filling inputs.
Result<UsualSizes> sizes_of(Reference& reference, const Problem& problem,
                            const NudgeRequest& request, const std::stop_token& stop);

/// True when elements of an output depend on other columns of the inputs than their own, on the
/// declared fills: a softmax, a norm. The reference's arena holds the outputs of the inputs as
/// drawn, before and after; inputs are not kept. False where the reference went wrong, or no input
/// has columns as the output's.
/// @errors kCancelled; those of filling inputs.
Result<bool> couples_columns(Reference& reference, const Problem& problem,
                             const NudgeRequest& request, const std::string& output,
                             const std::stop_token& stop);

/// True when the reference itself moves by as much as the worst element of the mismatch is off, on
/// inputs that differ by rounding alone.
bool is_explained(const ResolvedPlan& plan, const Slacks& slacks, const Mismatch& mismatch,
                  const Doubt& doubt);

}  // namespace ws
