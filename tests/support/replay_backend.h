// A backend that plays a recording back, on a clock of its own, to show what a tuning would have
// taken.
#pragma once

#include <optional>
#include <vector>

#include "runtime/tune/evaluation_backend.h"
#include "tests/support/recording.h"

namespace ws::tune {

struct ReplayOptions {
  std::size_t workers = 1;
  /// How Kernel Tuner does it: compile, verify and time one after the other; every point is
  /// verified, and is worth the mean of its first seven samples, its default number.
  bool serial = false;
};

/// Compiles take their recorded time on as many workers as there are; the device takes that of the
/// samples that the race asks for, one more to warm up, and of verifying who beats the best.
class ReplayEvaluationBackend : public EvaluationBackend {
 public:
  /// @param recording  Outlives the backend.
  ReplayEvaluationBackend(const Recording& recording, ReplayOptions options);

  double now_s() override { return now_s_; }

  [[nodiscard]] std::size_t workers() const override { return options_.workers; }

  [[nodiscard]] bool shares_cores() const override { return options_.serial; }

  Status begin_build(const Point& point) override;
  Status begin_trial(const Point& point, const std::vector<double>& best) override;
  Result<std::optional<LabEvent>> next(double until_s) override;

 private:
  struct Pending {
    double at_s = 0;
    LabEvent event;
  };

  Result<Pending> try_serially(const Point& point, const RecordedPoint& recorded) const;
  Result<Pending> try_racing(const Point& point, const RecordedPoint& recorded,
                             const std::vector<double>& best) const;

  const Recording& recording_;
  const ReplayOptions options_;
  double now_s_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace ws::tune
