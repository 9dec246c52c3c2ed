// A loop that works on what earlier rounds have loaded (pipeline.h). The first rounds are run as
// they are; from them follows what the threads have at the start of round r, and one round from
// there has to end as it is said of round r + 1.
#pragma once

#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

class PipelinedLoop {
 public:
  /// @param block  Runs the loop now; its case (Block::pipeline) says which round.
  PipelinedLoop(Block& block, const Block::LoopParts& parts)
      : block_(block),
        parts_(parts),
        case_(block.mode_.pipeline) {}

  /// @errors as Block::run().
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

  Block& block_;
  const Block::LoopParts& parts_;
  const PipelineCase& case_;
  std::vector<RoundState> states_;      // Before each of the first rounds.
  std::vector<Block::Change> carried_;  // Variables of which no state tells anything.
};

}  // namespace ws::lift
