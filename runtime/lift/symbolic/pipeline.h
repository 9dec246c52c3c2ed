// Loops whose rounds work on what earlier rounds have loaded: shared memory, registers and copies
// that are under way are described as they are in round r.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/lift/symbolic/shared_memory.h"

namespace ws::lift {

/// The facts about a loop's rounds that a run takes for granted. A program is right if every choice
/// gives it.
struct PipelineCase {
  int period = 0;       ///< Stages repeat after so many rounds; 0: loops are run in another way.
  int inside = 0;       ///< The number of the round that is run, modulo the period ...
  int after = 0;        ///< ... and how many rounds there were, modulo the period.
  bool peeled = false;  ///< The first round may do something that others do not.
  bool first = false;   ///< It is the first round ...
  bool last = false;    ///< ... and the last one.
};

/// The round that is run, for branches that ask whether it is the first or the last one.
struct RoundPlace {
  Poly round;  ///< Its number.
  Poly left;   ///< How much is left to do after it.
};

/// The values and accesses of a block's threads at the start of a round.
struct RoundState {
  std::vector<Object> objects;
  std::deque<std::vector<AsyncCopy>> groups;
  SharedMemory::Stretch stretch;
};

/// Values of one round as those of another one: every index that differs between two rounds is
/// taken to grow evenly.
class Shift {
 public:
  /// @param rounds  How many rounds after the first of the two, and how many of them are between
  ///                the two.
  Shift(Terms& terms, Poly rounds, int period)
      : terms_(terms),
        rounds_(std::move(rounds)),
        period_(period) {}

  /// kNone: the two do not differ by indices alone, or not evenly.
  TermId term(TermId first, TermId second);
  /// Nothing: they do not differ evenly.
  [[nodiscard]] std::optional<Poly> poly(const Poly& first, const Poly& second) const;
  std::optional<Leaf> leaf(const Leaf& first, const Leaf& second);
  std::optional<AsyncCopy> copy(const AsyncCopy& first, const AsyncCopy& second);

 private:
  TermId compute(TermId first, TermId second);
  bool sources(Term& made, const Term& second);

  Terms& terms_;
  const Poly rounds_;
  const int period_;
  std::map<std::pair<TermId, TermId>, TermId> known_;
};

}  // namespace ws::lift
