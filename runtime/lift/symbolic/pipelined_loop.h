// A loop that works on what earlier rounds have loaded (pipeline.h). The first rounds are run as
// they are; from them follows what the threads have at the start of round r, and one round from
// there has to end as it is said of round r + 1.
#pragma once

#include "runtime/lift/symbolic/effects.h"
#include "runtime/lift/symbolic/rounds.h"

namespace ws::lift {

class PipelinedLoop {
 public:
  /// @param basis  Its mode has the case that says which round is run. All of them outlive this.
  PipelinedLoop(const Basis& basis, const Surroundings& around, Rounds& rounds,
                const Effects& effects, const LoopParts& parts)
      : case_(basis.mode.pipeline),
        terms_(basis.terms),
        symbols_(basis.symbols),
        numbers_(basis.numbers),
        around_(around),
        rounds_(rounds),
        effects_(effects),
        parts_(parts) {}

  /// @errors as Loops::run()
  Status run();

 private:
  /// Instead of a residue: the state before all rounds.
  static constexpr int kFirstRound = -1;

  // pipelined_loop.cpp
  Status find_temporaries(const RoundState& start, const Poly& round);
  Status leave(const LoopEvent& event);
  Status leave_unknown();
  Status begin_place(const Poly& round);

  // round_states.cpp
  Status run_first_rounds();
  void find_carried();
  bool is_even(std::size_t object, std::size_t slot);
  [[nodiscard]] Poly index_of(const Leaf& leaf) const;
  [[nodiscard]] RoundState state_now(std::size_t objects) const;
  [[nodiscard]] std::size_t base_of(int residue) const;
  Result<RoundState> state_of(const Poly& round, int residue);
  static void shift_object(Shift& shift, const Object& first, Object& object, bool at_first);
  static Status shift_groups(Shift& shift, const std::deque<std::vector<AsyncCopy>>& first,
                             std::deque<std::vector<AsyncCopy>>& later);
  void enter(RoundState state, bool keep);
  Status check_state(const RoundState& said);
  bool agrees(const Object& said, const Object& now, bool leaves);

  const PipelineCase& case_;
  Terms& terms_;
  Symbols& symbols_;
  Arithmetic& numbers_;
  const Surroundings& around_;
  Rounds& rounds_;
  const Effects& effects_;
  const LoopParts& parts_;
  std::vector<RoundState> states_;   // Before each of the first rounds.
  std::vector<SlotChange> carried_;  // Variables of which no state tells anything.
};

}  // namespace ws::lift
