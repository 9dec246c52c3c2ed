// Whether a problem can tell a right kernel from a wrong one: asked once for each problem, before
// its first reward.
//
// Answers that need no work must fail on it; each input must matter; its reference must give the
// same results for the same inputs; its tolerance must not accept anything. A problem that fails
// one of these is weak: kernels still run on it, but a pass says little, and no reward is paid.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/validate/reference.h"

namespace ws {

/// Sentences that say why a problem is weak; none: it is sound.
using Weaknesses = std::vector<std::string>;

/// Opens the problem's reference on a workload; a null one cannot run there.
using ReferenceOpener = std::function<Result<std::unique_ptr<Reference>>(const Workload& workload)>;

/// The workloads that a problem is examined on: the cheapest listed one and, where there is one, a
/// larger one that the other must agree with: the costliest listed one that takes little time, else
/// a hidden one.
/// @param emulated  Whether an emulated device or a program runs the reference: slower by far.
/// @param secret    Hidden sizes come from it.
/// @errors kInvalidArgument: an expression fails.
Result<std::vector<Workload>> workloads_to_examine(const Problem& problem, bool emulated,
                                                   std::uint64_t secret);

/// Runs the reference of a problem a few times on the first workload, and on the others as long as
/// something looks weak: only what is weak on all of them counts.
/// @param workloads  At least one.
/// @param secret     All draws come from it.
/// @return  Nothing where the reference could not be used on the first one, which a validation
///          reports.
/// @errors kCancelled; those of opening and running the reference.
Result<std::optional<Weaknesses>> find_weaknesses(const Problem& problem,
                                                  const std::vector<Workload>& workloads,
                                                  const ReferenceOpener& open, std::uint64_t secret,
                                                  const std::stop_token& stop);

}  // namespace ws
