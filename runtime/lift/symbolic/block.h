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

#include "runtime/lift/symbolic/carried_variables.h"
#include "runtime/lift/symbolic/copy_queue.h"
#include "runtime/lift/symbolic/round_places.h"

namespace ws::lift {

struct Meaning;
struct PartVariable;

class Block {
 public:
  /// Why a run ends at inline assembly.
  static constexpr const char* kInlineAssembly = "inline assembly";

  /// Why a part ends at a loop.
  static constexpr const char* kUnknownRounds = "a loop whose rounds are not known";

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
  [[nodiscard]] const std::vector<CopyEvent>& copies() const { return copied_; }

  [[nodiscard]] const Range& where() const { return steps_.where(); }

  [[nodiscard]] const std::vector<Object>& objects() const { return objects_.all(); }

 private:
  friend class Fragments;
  friend class PipelinedLoop;

  // block_statements.cpp
  Status statement(NodeId id);
  Status declare(const Node& node);
  Status branch(const Node& node);
  Status known_branch(const Node& node, const Lanes& truth);
  Status leave(const Node& node);
  Status barrier(const Node& node);

  // block_loops.cpp, block_rounds.cpp
  struct LoopParts {
    NodeId condition = kNone;
    NodeId step = kNone;
    NodeId body = kNone;
  };

  /// The effect of a round on one slot of a variable.
  struct Change {
    ObjectId object = kNone;
    std::size_t slot = 0;
    Leaf before;
    Slot slot_form;
    bool induction = false;  ///< It grows by `delta`, in every round.
    Poly delta;
    bool temporary = false;  ///< Every round writes the variable before it reads it.
  };

  /// An expression changes nothing, variables by their names, or more than that.
  enum class Changes : std::uint8_t { kNothing, kVariables, kMore };

  ObjectId root_of(NodeId place);
  Changes changes_of(NodeId id);
  Status loop(const Node& node);
  Result<bool> is_short(const LoopParts& parts);
  void save_assigned(NodeId id, std::map<ObjectId, Object>& saved);
  Status unroll(const LoopParts& parts);
  Status body(const LoopParts& parts);
  Status symbolic_loop(const LoopParts& parts);
  Result<std::vector<Change>> learn(const LoopParts& parts, const std::vector<Object>& before,
                                    const std::string& variable);
  Status dry_round(const LoopParts& parts, bool masked);
  Status run_round(const LoopParts& parts, const std::vector<Change>& changes,
                   const std::vector<Object>& before, const LoopEvent& event, TermId condition);
  Result<LoopEvent> measure(const LoopParts& parts, const std::string& variable, TermId& condition);
  [[nodiscard]] std::vector<Change> changes_since(const std::vector<Object>& before) const;
  static bool refine(std::vector<Change>& changes, const std::vector<Change>& seen);
  Status start_round(const std::vector<Change>& changes, const Poly& round);
  void restore(const std::vector<Object>& before);
  void leave_round(const std::vector<Change>& changes, const std::vector<Object>& before);
  [[nodiscard]] bool is_needed(ObjectId id) const;
  [[nodiscard]] std::string loop_name(const LoopParts& parts) const;

  // pipelined_loop.cpp
  Status pipelined_loop(const LoopParts& parts);

  // block_expressions.cpp
  Result<Value> evaluate(NodeId id);
  Result<Leaf> scalar(NodeId id);
  Result<TermId> term_of(NodeId id);
  Result<Value> builtin(const Node& node);
  Result<Value> unary(const Node& node);
  Result<Value> binary(const Node& node);
  Result<Value> logical(const Node& node);
  Result<Value> assign(const Node& node);
  Result<Value> cast(const Node& node);
  Result<Value> select(const Node& node);
  Result<Value> list(const Node& node);
  Result<Value> increment(const Node& node);
  Status fill(TypeId type, NodeId id, std::vector<Leaf>& leaves);

  // block_assembly.cpp
  Status assembly(const Node& node);
  Status value_assembly(const Instruction& parts, const Meaning* meaning, const Node& node);

  // block_part.cpp
  [[nodiscard]] bool is_named(TermId value) const;

  // block_matrix.cpp
  Status copy_piece(const Instruction& parts, const Node& node);
  Status load_matrices(const Instruction& parts, const Node& node);
  Status multiply(const Instruction& parts, const Node& node);
  Result<std::vector<TermId>> halves_of(const Instruction& parts, std::size_t at, const Node& node,
                                        DType type);
  Result<Leaf> operand(const Instruction& parts, std::size_t at, std::size_t word,
                       const Node& node);
  Result<Poly> array_offset(const Leaf& pointer);
  Result<std::vector<TermId>> added_sums(const Instruction& parts, const Node& node, bool halves);
  Status keep_sums(const Instruction& parts, const Node& node, const std::vector<TermId>& sums,
                   bool halves);
  Result<TermId> matrix_element(const Leaf& address, const Poly& offset);

  // block_fragments.cpp
  Result<Value> fragment_call(const Node& node);

  // block_address.cpp
  Result<ValuePlace> place(NodeId id);
  Result<Leaf> moved_pointer(COperator op, const Leaf& pointer, TermId number, TypeId type,
                             bool pointer_first);
  Result<Leaf> address_bits(COperator op, const Leaf& pointer, TermId number, TypeId type);

  // block_exits.cpp
  Status exit_by(TermId holds, std::size_t before);

  void mark_temporaries(std::vector<Change>& changes) const;

  // block_calls.cpp
  Result<Value> call(const Node& node);
  Result<Value> load_call(const Node& node);
  Result<Value> value_call(const Node& node, const Meaning& meaning);
  Result<TermId> value_of(const Node& node, const Meaning& meaning, std::vector<TermId> args,
                          DType type);
  static Result<Value> not_called(const Node& node, const Meaning& meaning);
  Result<Value> inlined(const Node& node);
  Result<Value> shuffle(const Node& node);
  TermId moved(TermId value, std::vector<Ref> sources);
  Result<Value> store_call(const Node& node, const std::string& atomic);
  Result<Value> packed(const Node& node);

  // block.cpp
  Status bind_arguments();
  [[nodiscard]] Value single(TypeId type, TermId term) const;

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
  const std::set<ObjectId>* needed_;
  const std::size_t lanes_;
  int pipelines_ = 0;  // How many loops were run so.
  std::vector<CopyEvent> copied_;
  std::map<std::pair<TermId, DType>, TermId> rounded_;  // Halves of registers that products take.
  RoundReads round_reads_;
  const Basis basis_;
  ObjectTable objects_;
  Memory memory_;
  CopyQueue copies_;
  CarriedVariables carried_;
  RoundPlaces places_;
};

}  // namespace ws::lift
