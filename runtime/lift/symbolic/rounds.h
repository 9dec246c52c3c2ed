// Rounds of loops that are run once, with a symbol for the round.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/carried_variables.h"
#include "runtime/lift/symbolic/copy_queue.h"
#include "runtime/lift/symbolic/round_places.h"
#include "runtime/lift/symbolic/runner.h"

namespace ws::lift {

/// The run that loops are in. All of it outlives them.
struct Surroundings {
  Runner& runner;
  Reports& reports;
  Steps& steps;
  Guards& guards;
  Control& control;
  RoundReads& reads;
  ObjectTable& objects;
  Memory& memory;
  CopyQueue& copies;
  CarriedVariables& carried;
  RoundPlaces& places;
};

struct LoopParts {
  NodeId condition = kNone;
  NodeId step = kNone;
  NodeId body = kNone;
};

/// The effect of a round on one slot of a variable.
struct SlotChange {
  ObjectId object = kNone;
  std::size_t slot = 0;
  Leaf before;
  Slot slot_form;
  bool induction = false;  ///< It grows by `delta`, in every round.
  Poly delta;
  bool temporary = false;  ///< Every round writes the variable before it reads it.
};

/// Runs a round, alone or as one of all. For one thread.
/// @errors kUnsupported: a statement is not understood, or the rounds follow no known rule.
class Rounds {
 public:
  /// @param needed  The variables of loops whose values somebody reads; nullptr: not known yet.
  Rounds(const Basis& basis, const Surroundings& around, const std::set<ObjectId>* needed);

  /// A loop whose rounds all do the same: learns what they change, then runs one of them.
  Status run(const LoopParts& parts);

  /// The body alone. Conditions that `continue` leaves behind end with it.
  Status body(const LoopParts& parts);

  // The parts of run().

  /// A variable for the loop's round that no loop around has.
  [[nodiscard]] std::string name_of(const LoopParts& parts) const;
  /// A round in a trial, with the loop's step. @param masked  By threads for which the loop goes
  /// on.
  Status try_round(const LoopParts& parts, bool masked);
  /// Variables get what they have at the start of round `round`.
  Status start_round(const std::vector<SlotChange>& changes, const Poly& round);
  /// How the loop is counted, at the start of a round. @param condition  Set to the loop's.
  Result<LoopEvent> measure(const LoopParts& parts, const std::string& variable,
                            TermId& condition) const;
  /// Reports the loop with one round. @param before  The objects before the loop.
  Status run_round(const LoopParts& parts, const std::vector<SlotChange>& changes,
                   const std::vector<Object>& before, const LoopEvent& event, TermId condition);
  /// After a round that RoundReads has seen: which variables it writes before it reads them.
  void mark_temporaries(std::vector<SlotChange>& changes) const;

 private:
  Result<std::vector<SlotChange>> learn(const LoopParts& parts, const std::vector<Object>& before,
                                        const std::string& variable);
  [[nodiscard]] std::vector<SlotChange> changes_since(const std::vector<Object>& before) const;
  void restore(const std::vector<Object>& before);
  void leave_round(const std::vector<SlotChange>& changes, const std::vector<Object>& before);
  [[nodiscard]] bool is_needed(ObjectId id) const;

  const Tree& tree_;
  const RunMode& mode_;
  Terms& terms_;
  Symbols& symbols_;
  const Arithmetic& numbers_;
  Runner& runner_;
  Reports& reports_;
  const Steps& steps_;
  Guards& guards_;
  Control& control_;
  RoundReads& reads_;
  ObjectTable& objects_;
  Memory& memory_;
  const CopyQueue& copies_;
  CarriedVariables& carried_;
  const std::set<ObjectId>* needed_;
};

}  // namespace ws::lift
