// Branches in a loop's round that ask whether it is the first or the last one.
#pragma once

#include <optional>
#include <vector>

#include "runtime/lift/symbolic/basis.h"
#include "runtime/lift/symbolic/reports.h"

namespace ws::lift {

/// How much is left to do where a loop asks `condition`: rhs - lhs of `lhs < rhs`.
/// @errors kUnsupported: it is no comparison of indices.
Result<Poly> left_to_do(const Terms& terms, TermId condition);

/// The rounds that are being run for all others (pipeline.h), and what their branches ask. For one
/// thread.
class RoundPlaces {
 public:
  /// Both outlive this.
  RoundPlaces(const Basis& basis, const Reports& reports)
      : case_(basis.mode.pipeline),
        terms_(basis.terms),
        reports_(reports) {}

  void enter(RoundPlace place) { places_.push_back(std::move(place)); }

  void leave() { places_.pop_back(); }

  /// Whether a branch is taken that asks if the round is the first or the last one; nothing: it
  /// asks something else, or what it asks is not taken for granted.
  std::optional<bool> taken(TermId condition);

  /// Whether a branch has asked for the first round, and the case does not say which one it is.
  [[nodiscard]] bool asks_for_first() const { return asks_for_first_; }

  /// Whether the last round may do less than the others.
  [[nodiscard]] bool asks_for_last() const { return asks_for_last_; }

  /// Another loop was run whose rounds are run for all others.
  void note_loop() { ++loops_; }

  [[nodiscard]] int loops() const { return loops_; }

  /// @return  As it was before.
  bool set_asks_for_last(bool asks);

 private:
  const PipelineCase& case_;
  const Terms& terms_;
  const Reports& reports_;
  std::vector<RoundPlace> places_;  // The innermost last.
  int loops_ = 0;
  bool asks_for_first_ = false;
  bool asks_for_last_ = false;
};

}  // namespace ws::lift
