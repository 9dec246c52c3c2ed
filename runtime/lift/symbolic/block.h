// Runs a kernel for all threads of one block at once, with symbols for the block's index, for sizes
// and for loop variables.
//
// Numbers that depend on thread indices are known for each thread (poly.h). Conditions that are
// known choose threads; others become masks. Loops whose condition is known are unrolled; others
// run once, with a symbol for the round, after a first run has shown what they change and by how
// much. Shared memory remembers who wrote what between which barriers: a read that nothing orders
// after its write ends the run, as does everything that is not understood.
#pragma once

#include <set>

#include "runtime/lift/symbolic/evaluator.h"
#include "runtime/lift/symbolic/loops.h"
#include "runtime/lift/symbolic/warp_instructions.h"

namespace ws::lift {

struct PartVariable;

class Block : public Runner {
 public:
  /// Why a run ends at inline assembly.
  static constexpr const char* kInlineAssembly = WarpInstructions::kInlineAssembly;

  /// Why a part ends at a loop.
  static constexpr const char* kUnknownRounds = Loops::kUnknownRounds;

  /// @param needed  The variables of loops whose values somebody reads; nullptr: not known yet.
  Block(const Tree& tree, const LaunchInput& input, Terms& terms, Symbols& symbols, Sink& sink,
        const std::set<ObjectId>* needed);

  /// @errors kUnsupported: what the kernel does that cannot be lifted; where() has the statement.
  Status run();

  /// Before run(): instructions that a warp executes together, and copies by cp.async, are values
  /// as well. @param together  Whether the kernel has such instructions.
  void know_warps(bool together) {
    mode_.by_warps = true;
    mode_.together = together;
  }

  /// Before run(): where threads share a place of a variable, they have the same number there.
  /// @param layouts  Outlives this.
  void share(const std::map<ObjectId, Layout>& layouts) { mode_.layouts = &layouts; }

  /// Before run(): loops work on what earlier rounds have loaded. No tile stays a buffer then.
  void pipeline(const PipelineCase& one) { mode_.pipeline = one; }

  /// Whether a branch in a loop asks for the first round, and is not taken for granted.
  [[nodiscard]] bool asks_for_first() const { return places_.asks_for_first(); }

  /// Whether the last round of a loop may do less than the others.
  [[nodiscard]] bool asks_for_last() const { return places_.asks_for_last(); }

  /// Instead of run(): begins with the kernel's arguments, declares variables, and runs statements
  /// by all threads, or by a warpgroup (LaunchInput::warpgroup).
  /// @param arrays  In shared memory, as the program has them; outlives this.
  /// @errors as run().
  Status begin_part(const SharedArrays& arrays);
  Result<ObjectId> declare_part(const PartVariable& variable);
  Status run_part(const std::vector<NodeId>& statements);

  /// The copies that a part's threads made by cp.async.
  [[nodiscard]] const std::vector<CopyEvent>& copies() const { return instructions_.copied(); }

  [[nodiscard]] const Range& where() const { return steps_.where(); }

  [[nodiscard]] const std::vector<Object>& objects() const { return objects_.all(); }

 private:
  // block_statements.cpp
  Status statement(NodeId id) override;
  Status declare(const Node& node);
  Status branch(const Node& node);
  Status known_branch(const Node& node, const Lanes& truth);
  Status leave(const Node& node);
  [[nodiscard]] bool is_open(TermId value) const;
  Status exit_by(TermId holds, std::size_t before);

  // block_part.cpp
  [[nodiscard]] bool is_named(TermId value) const;

  // block.cpp
  Result<Value> evaluate(NodeId id) override;
  Result<ValuePlace> place(NodeId id) override;
  Status bind_arguments();

  const Tree& tree_;
  const LaunchInput& input_;
  Terms& terms_;
  Symbols& symbols_;
  Reports reports_;
  RunMode mode_;
  Arithmetic numbers_;
  Scalars scalars_;
  Steps steps_;
  Guards guards_;
  Control control_;
  const std::size_t lanes_;
  RoundReads round_reads_;
  const Basis basis_;
  ObjectTable objects_;
  Memory memory_;
  CopyQueue copies_;
  CarriedVariables carried_;
  RoundPlaces places_;
  Loops loops_;
  Calls calls_;
  Pointers pointers_;
  Evaluator evaluator_;
  WarpInstructions instructions_;
};

}  // namespace ws::lift
