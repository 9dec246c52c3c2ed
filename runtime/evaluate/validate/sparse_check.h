// Looks for accesses out of bounds at sizes that no validation can run whole: with more elements
// than a 32-bit index counts. A few blocks run on inputs that are all zeros; memory that nobody
// touches takes no room.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "runtime/evaluate/validate/validation.h"

namespace ws {

struct SparseFound {
  SparseLook look;
  Verdict verdict = Verdict::kPassed;  ///< kPassed, or kOutOfBounds.
  Fault fault;                         ///< With kOutOfBounds.
};

/// @param backend  One whose sessions have modes.
/// @param tried    The workloads of the other runs, at least one.
/// @return  Nothing where no such size is allowed, where one of `tried` has it, or where the blocks
///          tell nothing: they wait for others, end in another fault, or take seconds.
/// @errors kCancelled; those of the backend.
Result<std::optional<SparseFound>> look_sparsely(Backend& backend, const Subject& subject,
                                                 const Params& params,
                                                 const std::vector<Workload>& tried,
                                                 const std::stop_token& stop);

/// Why a kernel is wrong that stays within bounds at smaller sizes.
std::string sparse_message(const SparseLook& look, std::string_view detail);

}  // namespace ws
