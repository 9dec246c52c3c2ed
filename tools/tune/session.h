// One tuning from its question to its results: space, journal, search, finals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/tune/tuner.h"
#include "tools/tune/finals.h"
#include "tools/tune/pace.h"
#include "tools/tune/question.h"

namespace ws {

/// One reported point.
struct TunedPoint {
  Params params;
  tune::Evaluation evaluation;
};

struct TuneOutcome {
  std::vector<Workload> timed;
  std::uint64_t points = 0;    ///< The points of the space, without constraints; saturates.
  bool listed = false;         ///< The constraints were checked for every point.
  std::uint64_t excluded = 0;  ///< Points that the constraints exclude, of those checked.
  std::size_t resumed = 0;     ///< Evaluations of earlier tunings.
  std::vector<TunedPoint> evaluations;
  std::vector<tune::ConvergencePoint> convergence;
  tune::TuneEnd end = tune::TuneEnd::kExhausted;
  Pace pace;  ///< The pace of the search.
  FinalsResult finals;
  std::optional<double> winner_us;  ///< As the search saw it.
  std::uint64_t secret = 0;         ///< The seed of the inputs of the search.
};

/// @errors kInvalidArgument: no params, no point that the constraints allow, a constraint that
/// cannot be evaluated, a space too large for `exhaustive`; kCancelled; those of device and disk.
Result<TuneOutcome> run_tuning(Services& services, const TuneQuestion& question,
                               const CallContext& context);

}  // namespace ws
