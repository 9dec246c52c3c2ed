// The events that a run reports, where it does not only try something.
#pragma once

#include "runtime/lift/symbolic/sink.h"

namespace ws::lift {

/// Passes events on, or drops them while a trial goes on: the first run of a loop's round, which
/// shows what it changes. For one thread.
class Reports : public Sink {
 public:
  /// @param sink  Outlives this.
  explicit Reports(Sink& sink)
      : sink_(sink) {}

  [[nodiscard]] bool is_trial() const { return trial_; }

  /// @return  As it was before.
  bool set_trial(bool trial);

  Status store(const StoreGroup& group) override;
  /// No tile stays a buffer in a trial.
  Result<std::optional<Logical>> stage(const StoreGroup& group) override;
  Status sync(const Range& range) override;
  Status leave(TermId condition, const Range& range) override;
  Status begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) override;
  Status update(const std::vector<Update>& updates, const Range& range) override;
  Status end_loop() override;

 private:
  Sink& sink_;
  bool trial_ = false;
};

}  // namespace ws::lift
