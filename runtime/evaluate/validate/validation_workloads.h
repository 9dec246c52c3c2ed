// The workloads that a validation uses: listed, shrunk for emulation, and hidden.
#pragma once

#include <optional>
#include <vector>

#include "runtime/evaluate/validate/validation.h"

namespace ws {

struct ChosenWorkloads {
  std::vector<CandidateWorkload> candidates;
  std::vector<std::optional<Workload>> shrunk_from;  ///< Beside each candidate.
  std::size_t declared = 0;
  std::size_t unsupported = 0;     ///< Listed ones that the constraints exclude.
  std::size_t hidden_skipped = 0;  ///< Hidden ones that they exclude.
};

/// @errors kInvalidArgument: none left by constraints.
Result<ChosenWorkloads> choose_workloads(const Subject& subject, const Params& params,
                                         const ValidationRequest& request, bool emulated);

/// The cheapest listed workload, and the cheapest hidden one.
/// @param more  The costliest ones that the CPU engine can watch in a moment, too.
std::vector<Workload> workloads_to_sanitize(const ChosenWorkloads& chosen, bool more);

/// Each workload of the plan once, in the order of their first runs: indices into the candidates.
std::vector<std::size_t> workloads_of(const ValidationPlan& plan);

}  // namespace ws
