// A comparison over several sessions: the same two kernels, each time in fresh workers.
//
// Two sessions of one kernel differ, for as long as they last, by where their memory lies and which
// cores they have. No number of samples within a session shows that, so an emulated device times
// the baseline's twin beside it and repeats the whole a few times: what equals differ by, and how
// much the ratio itself varies, is then measured in the same minutes as the ratio.
#pragma once

#include <cstddef>
#include <span>

namespace ws {

/// The result of one session, as logarithms of ratios.
struct SessionRatio {
  std::size_t workload = 0;  ///< Sessions of one workload have the same.
  double kernel = 0;         ///< log(baseline / kernel).
  double twin = 0;           ///< log(baseline / twin): of equals.
};

struct SessionsSummary {
  double log_ratio = 0;  ///< Mean of the workloads' means.
  /// A difference, as a ratio, that sessions of equals show in about one of 10,000 comparisons:
  /// Student's bound for log_ratio, from the twins and from how each workload's ratios scatter.
  double noise_floor = 0;
};

/// @param sessions  At least one; each workload in as many, which should be three or more: of two,
///                  one that was disturbed does not stand out.
SessionsSummary summarise(std::span<const SessionRatio> sessions);

/// The floor of one of `groups` equally large parts of the sessions, given that of all.
double floor_of_part(double noise_floor, std::size_t groups);

}  // namespace ws
