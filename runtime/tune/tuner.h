// The scheduler of a tuning: keeps compilers and device busy with the points that a strategy
// proposes.
//
// It knows only events: a build ended, a trial ended. So the same code runs on a device and in
// replay of a recording, where the clock is the recording's.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/tune/evaluation_backend.h"
#include "runtime/tune/space.h"
#include "runtime/tune/strategy.h"

namespace ws::tune {

/// The result of one point.
struct Evaluation {
  Point point;
  Fate fate = Fate::kGood;
  Verdict verdict = Verdict::kPassed;  ///< Not kGood: why.
  std::string message;
  Features features;
  double us = kUnusable;        ///< kGood: the median of `samples`.
  std::vector<double> samples;  ///< kGood: in microseconds.
  double build_s = 0;
  double trial_s = 0;  ///< Verification included.
  bool verified = false;
  double t_s = 0;  ///< When it ended, from the start of its tuning.
  std::string at;  ///< When it was written down, UTC; set by the journal it was read from.
};

struct TunerOptions {
  double budget_s = 60;                        ///< The time for searching; from the call of run().
  std::optional<std::size_t> max_evaluations;  ///< Points in all, those from before too.
  std::vector<Point> first;                    ///< To try before the strategy's; those that hold.
};

struct ConvergencePoint {
  double t_s = 0;
  double best_us = 0;
};

enum class TuneEnd : std::uint8_t { kBudget, kEvaluations, kExhausted, kStopped };
/// "budget", "evaluations", "exhausted", "stopped".
std::string_view name_of(TuneEnd end);

struct TuneResult {
  std::vector<Evaluation> evaluations;  ///< In the order in which they ended.
  std::optional<std::size_t> best;  ///< The index in evaluations of the fastest that was verified.
  std::vector<ConvergencePoint> convergence;
  TuneEnd end = TuneEnd::kExhausted;
};

class Tuner {
 public:
  /// Called with each evaluation as it ends, with the best so far (null: none yet). False: stop.
  using OnEvaluation =
      std::function<bool(const Evaluation& evaluation, const Evaluation* best, double t_s)>;

  /// All outlive the tuner.
  Tuner(Space& space, Strategy& strategy, EvaluationBackend& backend, TunerOptions options);

  /// Takes results from before, which are not tried again. Call it before run(). If a point comes
  /// twice the first result counts; a point that is not in the space is left out.
  void know(std::vector<Evaluation> evaluations);

  /// @errors of the space's constraints and of the backend. The reports so far stay true.
  Result<TuneResult> run(const OnEvaluation& on_evaluation);

 private:
  struct Ready {
    Point point;
    Features features;
    double build_s = 0;
  };

  [[nodiscard]] bool may_build() const;
  std::optional<Point> next_point();
  Status begin_builds();
  Status begin_trial();
  Evaluation evaluation_of(LabEvent event);
  /// False: the caller wants to stop.
  bool conclude(Evaluation evaluation, const OnEvaluation& on_evaluation);

  [[nodiscard]] double elapsed() const { return backend_.now_s() - start_s_; }

  [[nodiscard]] double best_us() const;

  Space& space_;
  Strategy& strategy_;
  EvaluationBackend& backend_;
  TunerOptions options_;
  TuneResult result_;
  std::map<Point, std::size_t> known_;  ///< Index into result_.evaluations.
  std::map<Point, Ready> under_way_;    ///< Building, waiting or being tried.
  std::vector<Ready> ready_;            ///< Built, in order.
  std::size_t next_first_ = 0;
  std::size_t building_ = 0;
  bool trying_ = false;
  double start_s_ = 0;
};

}  // namespace ws::tune
