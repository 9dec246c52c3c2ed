// How far a run has come.
#pragma once

#include "runtime/lift/input.h"
#include "runtime/lift/symbolic/terms.h"

namespace ws::lift {

/// The statement that is being run, and how much of what a run may take is used up. For one thread.
class Steps {
 public:
  /// The most steps of a run: each may be a thousand numbers.
  static constexpr std::size_t kMost = 600'000;
  /// The longest chain of terms below a value. Walks along such chains recurse on the stack.
  static constexpr int kMostDepth = 5000;

  /// Both outlive this.
  Steps(const TimeBudget& budget, const Terms& terms)
      : budget_(budget),
        terms_(terms) {}

  /// Takes one step.
  /// @errors kUnsupported: too many steps, or a value that is computed in too many.
  ///         What TimeBudget::left() fails with.
  Status take();

  /// From here on the statement at `range` is run.
  void enter(const Range& range) { where_ = range; }

  [[nodiscard]] const Range& where() const { return where_; }

 private:
  const TimeBudget& budget_;
  const Terms& terms_;
  Range where_;
  std::size_t taken_ = 0;
};

}  // namespace ws::lift
