// The end of a tuning: the finalists are measured again, in turns, and judged again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/measure/measurement.h"
#include "runtime/tune/tuner.h"
#include "tools/answer/envelope.h"
#include "tools/tune/point_runs.h"

namespace ws {

struct FinalsRequest {
  const TuneTarget& target;
  std::vector<Params> finalists;  ///< Best first, as the search saw them; at most kMaxFinalists.
  std::vector<Params> sample;     ///< Others that were timed, to be validated.
  Json asked_workloads = Json::array();  ///< What validations are asked for.
  double budget_s = 5;                   ///< Of all final comparisons together; each has its least.
};

inline constexpr std::size_t kMaxFinalists = 5;

struct RejectedPoint {
  Params params;
  std::string verdict;
  std::string message;
};

struct TiedPoint {
  Params params;
  std::string verdict;  ///< Of its comparison with the winner: equivalent or inconclusive.
  double ratio = 1;     ///< The winner's time over its own.
  Interval ratio_ci;
};

struct FinalsResult {
  std::optional<Params> winner;
  /// Of the winner against the defaults: faster, equivalent, inconclusive, suspect, or unchanged:
  /// it is the defaults. No_baseline: the defaults do not run, and `message` says why.
  std::string verdict;
  std::string message;
  double ratio = 1;  ///< The defaults' time over the winner's; of faster to inconclusive.
  Interval ratio_ci{1, 1};
  std::vector<WorkloadTimes> workloads;  ///< Of that paired.
  NoiseFloor noise_floor;
  std::vector<TiedPoint> ties;
  std::vector<RejectedPoint> rejected;  ///< Finalists and others that are not right after all.
  Json validation;                      ///< The winner's, at level `standard`.
  std::size_t sample_checked = 0;
};

/// The quick validation of a point, from the archive where it was asked before.
/// @return  Its verdict and message; what is wrong with the point is one too.
/// @errors  kCancelled; those of the backend.
Result<std::pair<std::string, std::string>> validate_point(
    Services& services, Device& device, const TuneTarget& target, const Json& asked_workloads,
    const Params& params, const std::string& level, Json* whole, const CallContext& context);

/// @errors kCancelled; those of the device. On the device's lane.
Result<FinalsResult> run_finals(Services& services, Device& device, const FinalsRequest& request,
                                const CallContext& context);

}  // namespace ws
