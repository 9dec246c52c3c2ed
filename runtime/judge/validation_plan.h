// The runs of a validation: workload, distribution and seed of each.
//
// quick: the cheapest listed workload with normal and with exact integers, and two hidden sizes
// with the declared fills. Sizes of one kind are the most common mistake, and an edit is validated
// quickly many times, with another hidden size each time. standard: the declared fills and every
// distribution on up to eight listed workloads, the cheapest with large values as well, and the
// hidden ones with normal and with exact integers. strict: every distribution on every workload,
// three times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/judge/inputs.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// kSanitize has the runs of kStandard, each in every order, and those of a sanitizer.
enum class ValidationLevel : std::uint8_t { kQuick, kStandard, kStrict, kSanitize };

enum class WorkloadOrigin : std::uint8_t {
  kListed,   ///< By the problem or the caller.
  kMinimal,  ///< Hidden: the smallest sizes that the dims allow.
  kRagged,   ///< Hidden: other sizes from all over the domain.
};

struct CandidateWorkload {
  Workload workload;
  WorkloadOrigin origin = WorkloadOrigin::kListed;
  std::int64_t cost = 0;  ///< As cost_of.
};

struct ValidationRun {
  std::size_t workload = 0;  ///< Index into the candidates.
  Distribution distribution = Distribution::kDeclared;
  std::uint64_t seed_index = 0;  ///< For run_seed: no two runs share one.
};

struct ValidationPlan {
  std::vector<ValidationRun> runs;  ///< In the order to make them: cheap listed ones first.
  std::size_t listed_left_out = 0;  ///< Listed workloads that no run covers.
};

/// @param candidates   Those that the kernel's constraints allow.
/// @param mixtures     takes_mixtures(problem); false: every run draws the declared fills.
/// @param large        takes_large(problem): the standard level has a run with large values, the
///                     last one of its workload.
/// @param ties         takes_ties(problem): where no floats are drawn, every second run of listed
///                     workloads has many equal integers, and from the standard level on of hidden
///                     ones; else the cheapest listed workload has one more run, and the first
///                     hidden one.
/// @return             No runs only where there are no candidates.
ValidationPlan plan_validation(ValidationLevel level, std::span<const CandidateWorkload> candidates,
                               bool mixtures, bool large = false, bool ties = false);

/// The seed of one run, from the validation's secret one. `attempt` counts redraws of the same run
/// (a reference that is not finite, or out of range).
std::uint64_t run_seed(std::uint64_t secret, const ValidationRun& run, int attempt = 0);

}  // namespace ws
