// Where points are built and tried: a device with its compilers, or a recording of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/verdict.h"
#include "runtime/tune/strategy.h"

namespace ws::tune {

enum class Fate : std::uint8_t {
  kGood,    ///< Built; of a trial: timed.
  kPruned,  ///< The kernel refuses it, or the device lacks resources: no failure.
  kFailed,  ///< It does not compile, crashes, hangs, or gives wrong results.
};

/// The end of one build or one trial.
struct LabEvent {
  Point point;
  bool trial = false;  ///< Else a build.
  Fate fate = Fate::kGood;
  Verdict verdict = Verdict::kPassed;  ///< Not kGood: why. @see docs/tune.md
  std::string message;                 ///< Not kGood: one sentence.
  Features features;                   ///< The features of a good build.
  double took_s = 0;                   ///< The build or the trial, without waiting for its turn.
  // From a good trial:
  double us = 0;
  std::vector<double> samples;  ///< In microseconds; `us` is their median.
  bool verified = false;        ///< Its results were compared: it was better than the best so far.
};

/// Not thread safe: one thread begins and waits.
class EvaluationBackend {
 public:
  virtual ~EvaluationBackend() = default;

  /// Seconds on a clock that never goes back.
  virtual double now_s() = 0;

  /// Builds that may go on at a time.
  [[nodiscard]] virtual std::size_t workers() const = 0;

  /// Builds disturb what is timed: neither may begin while the other goes on.
  [[nodiscard]] virtual bool shares_cores() const = 0;

  /// Begins; the end comes by next(). @errors kBusy: too much waits there.
  virtual Status begin_build(const Point& point) = 0;

  /// Begins to time a point whose build was good; one at a time. One that beats the best
  /// in all stages of the race is verified.
  /// @param best  The samples of the best so far; empty: there is none yet.
  virtual Status begin_trial(const Point& point, const std::vector<double>& best) = 0;

  /// Waits for an end, in the order in which they come; nothing when now_s() reaches `until_s`
  /// first. Something was begun. @errors kCancelled; what makes a device or a compiler unusable.
  virtual Result<std::optional<LabEvent>> next(double until_s) = 0;
};

}  // namespace ws::tune
