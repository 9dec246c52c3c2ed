// The points of a search that are measured again, in turns, when it has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/tune/tuner.h"

namespace ws {

/// Those that may be the fastest, the fastest first: timed in full, and not much slower than the
/// best. At least one where there is any; fewer where comparisons of slow kernels take long.
/// @param workloads  How many are timed. @param budget_s  Seconds for all comparisons.
/// @return Pointers into `found`.
std::vector<const tune::Evaluation*> finalists_of(const tune::TuneResult& found,
                                                  std::size_t workloads, double budget_s);

/// Points at random that were timed and never looked at since.
/// @return Pointers into `found`; none of `finalists`.
std::vector<const tune::Evaluation*> sample_of(
    const tune::TuneResult& found, const std::vector<const tune::Evaluation*>& finalists,
    std::uint64_t secret);

}  // namespace ws
