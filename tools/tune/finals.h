// The end of a tuning: the finalists are measured again, in turns, and judged again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/measure/measurement.h"
#include "runtime/tune/tuner.h"
#include "tools/evidence/stored_validation.h"
#include "tools/tune/point_runs.h"

namespace ws {

struct FinalsRequest {
  const TuneTarget& target;
  std::vector<Params> finalists;  ///< Best first, as the search saw them; at most kMaxFinalists.
  std::vector<Params> sample;     ///< Other timed points, to be validated.
  Json asked_workloads = Json::array();  ///< The workloads that validations are asked for.
  double budget_s = 5;  ///< The time for all final comparisons together; each has its minimum.
};

inline constexpr std::size_t kMaxFinalists = 5;

struct RejectedPoint {
  Params params;
  Verdict verdict = Verdict::kIncorrect;
  std::string message;
};

struct TiedPoint {
  Params params;
  Verdict verdict = Verdict::kEquivalent;  ///< Or kInconclusive, against the winner.
  double ratio = 1;                        ///< The winner's time over its own.
  Interval ratio_ci;
};

struct FinalsResult {
  std::optional<Params> winner;
  /// The winner against the defaults: kFaster, kEquivalent, kInconclusive, kResolutionLimited or
  /// kSuspect; kUnchanged where it is the defaults, kNoBaseline where these do not run, kNone where
  /// there is no winner.
  Verdict verdict = Verdict::kNone;
  std::string message;  ///< Why it is kSuspect, kResolutionLimited or kNoBaseline.
  double ratio = 1;     ///< The defaults' time over the winner's, from faster to inconclusive.
  Interval ratio_ci{1, 1};
  std::vector<WorkloadTimes> workloads;  ///< The times of that comparison.
  NoiseFloor noise_floor;
  std::vector<TiedPoint> ties;
  std::vector<RejectedPoint> rejected;         ///< Finalists and others that turned out wrong.
  std::optional<StoredValidation> validation;  ///< The winner's, at level `standard`.
  std::size_t sample_checked = 0;
};

/// The validation of a point, from the archive where it was asked before. An error of the point
/// is a verdict too.
/// @errors  kCancelled; those of the backend.
Result<PointVerdict> validate_point(Services& services, Device& device, const TuneTarget& target,
                                    const Json& asked_workloads, const Params& params,
                                    const std::string& level,
                                    std::optional<StoredValidation>* whole,
                                    const CallContext& context);

/// @errors kCancelled; those of the device. On the device's lane.
Result<FinalsResult> run_finals(Services& services, Device& device, const FinalsRequest& request,
                                const CallContext& context);

}  // namespace ws
