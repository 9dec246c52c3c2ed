// One tuning from its question to its results: space, journal, search, finals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/tune/tuner.h"
#include "tools/tune/finals.h"
#include "tools/tune/pace.h"

namespace ws {

/// The arguments of `tune`.
struct TuneParams {
  CommonParams common;
  std::string kernel_id;
  Json workloads = Json::array();  ///< As sent.
  double budget_s = 60;
  std::optional<std::size_t> max_evaluations;
  std::string strategy{tune::strategy_names().front()};
  std::string objective = "time";
};

void from_json(const Json& arguments, TuneParams& params);

struct TuneQuestion {
  Subject subject;
  Device* device = nullptr;
  TuneParams asked;

  /// Equal keys are the same question. @param on  The device's id or key.
  [[nodiscard]] std::string key(const std::string& on) const;
};

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
