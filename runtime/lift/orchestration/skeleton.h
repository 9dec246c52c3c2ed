// The orchestration of a kernel as CuIR, where what its threads compute was not understood: roles,
// loops, copies, products, barriers and integers as they stand; all else is a hole.
//
// Copies by cp.async and products by mma.sync, which threads and warps do one by one, are lifted
// statement by statement for all threads of the block (part.h): there the block is one worker.
//
// A role is bound to warpgroups, warps or a thread. Statements that its threads share are written
// once; numbers that differ from worker to worker are written by the role's own number, `wg`.
// Registers that wgmma adds to, or takes as its left operand, are tiles of 64 rows; shared arrays
// keep the dimensions that the kernel gives them, and a product or a copy takes the part that its
// instruction's shape says.
//
// The class here is the walk. KernelFacts and KernelTexts answer what it asks of the kernel;
// SharedBuffers, RegisterTiles and HoleStatements know what it has found, and ProgramDraft what it
// has written.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/ir/syntax/ast.h"
#include "runtime/lift/input.h"
#include "runtime/lift/lift.h"
#include "runtime/lift/orchestration/element_moves.h"
#include "runtime/lift/orchestration/hole_statements.h"
#include "runtime/lift/orchestration/kernel_facts.h"
#include "runtime/lift/orchestration/kernel_texts.h"
#include "runtime/lift/orchestration/part.h"
#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/orchestration/program_draft.h"
#include "runtime/lift/orchestration/register_tiles.h"
#include "runtime/lift/orchestration/shared_buffers.h"
#include "runtime/lift/symbolic/meanings.h"
#include "runtime/lift/symbolic/threads.h"

namespace ws::lift {

/// Walks the kernel and writes. Entries of the table that cannot be written are reported, with
/// their lines, and stay as comments where they were: a synchronisation is never in a hole.
class Skeleton {
 public:
  /// Why statements are a hole that were not looked at: Hole::why.
  static constexpr const char* kNoTiles =
      "its threads are neither a warpgroup nor a block that multiplies tiles";

  /// Why a synchronisation is reported that each role would have to do.
  static constexpr const char* kBeforeRoles = "threads do it before they part into roles";

  /// @param symbols  Of the input; others are added.
  Skeleton(const Tree& tree, const LaunchInput& input, Symbols& symbols);

  /// Whether the kernel orchestrates anything.
  [[nodiscard]] bool is_worthwhile() const;

  /// Adds to `program`: ir, holes, not_lifted, registers. @errors kInternal: what was written does
  /// not parse.
  Status write(const std::string& name, Program& program);

 private:
  /// A function on integers, as a method: its parameters, and what it gives besides its value.
  struct Helper {
    bool known = true;
    bool gives = false;  ///< A value.
    std::string name;
    std::vector<std::string> params;
    std::vector<std::string> outputs;
    /// For each parameter, the argument that it comes from, and the field of it.
    std::map<std::string, std::pair<std::size_t, std::string>> given;
    /// Pointers among the names of `given`, and where they point: "self.tiles".
    std::map<std::string, std::string> places;
  };

  /// Where a pointer was declared.
  struct DeclaredAt {
    ProgramDraft::Place place;
    std::size_t line = 0;
  };

  /// A block that is open, and the first statement of it that was not walked yet.
  struct Open {
    const Node* block = nullptr;
    std::size_t next = 0;
    Lanes active;
  };

  /// A register that `mapa` wrote, and that instruction.
  struct Mapped {
    std::string name;
    Instruction instruction;
  };

  /// A call that was entered.
  struct Return {
    std::optional<std::string> wanted;  ///< The name that its value gets; empty: nobody reads it.
    std::string text;                   ///< Its value.
    int depth = 0;                      ///< The draft's, where it was called.
    Lanes active;                       ///< The threads that called it.
  };

  // skeleton.cpp
  void settle_names(ir::Program& parsed);
  [[nodiscard]] Range range_of(const std::string& comment) const;
  void walk();
  void statement(NodeId id);
  void block(const Node& node);
  void control(NodeId id);
  void simple(NodeId id);
  void note_alias(const Node& node);

  // skeleton_workers.cpp
  void start_roles();
  void branch(const Node& node);
  bool known_threads(const Node& node);
  bool both_sides(const Node& node, const std::optional<Lanes>& truth);
  void sides(const Node& node, const std::string& condition);
  [[nodiscard]] bool splits(NodeId id) const;
  [[nodiscard]] bool is_before_roles() const;
  [[nodiscard]] bool is_of_some() const;
  NodeId enter_some(const Node& branch, NodeId side);
  [[nodiscard]] bool is_of_both(NodeId id, VariableId variable) const;
  [[nodiscard]] bool is_used_outside(VariableId id) const;
  [[nodiscard]] std::int64_t multiplicity() const;

  // skeleton_roles.cpp
  bool part(const Node& node, const Lanes& truth);
  [[nodiscard]] int only_warpgroup(const Lanes& active) const;
  [[nodiscard]] std::optional<Role> warpgroup_of_role(int warpgroup) const;
  bool before_roles(NodeId id);
  bool write_moves(const ElementMoves& moves, const std::vector<MovedRow>& rows,
                   const Range& range);
  void roles(const Node& node, const Lanes& truth, const std::vector<NodeId>& behind);
  [[nodiscard]] std::vector<NodeId> behind() const;
  [[nodiscard]] Lanes narrowed(NodeId id, Lanes active) const;

  // skeleton_loops.cpp
  [[nodiscard]] std::string target_name(NodeId target, const Node& node) const;
  [[nodiscard]] bool is_whole_change(const Node& node, const Node& target,
                                     const std::string& name) const;
  bool integer_statement(NodeId id);
  [[nodiscard]] NodeId leading_step(NodeId condition) const;
  bool step_first(NodeId condition);
  [[nodiscard]] bool has_integers_only(NodeId id) const;
  void loop(const Node& node);
  bool called_loop(const Node& node);
  [[nodiscard]] bool has_fixed_rounds(const Node& loop, const Node& step,
                                      const std::vector<NodeId>& rest) const;
  bool counted(const Node& node, std::string& head, std::vector<NodeId>& rest);

  // skeleton_calls.cpp
  void primitives(NodeId id);
  [[nodiscard]] int calls_of(NodeId id) const;
  std::map<VariableId, std::string> argument_names(const Node& call);
  std::string own_object(VariableId param, const std::string& given);
  std::string argument_name(const Node& call, std::size_t argument);
  void called(NodeId id);
  void returned(const Node& node);
  void want_value(const Node& node);
  void give_value(const Node& node);

  // skeleton_assembly.cpp
  void assembly(const Node& node);
  void primitive(const Meaning* meaning, const std::string& name, std::vector<std::string> args,
                 const Range& range, const std::string& result = {});
  [[nodiscard]] std::string arrival_text(const std::vector<std::string>& args) const;
  void lost_by_threads(const Meaning& meaning, const std::string& name, const Range& range);
  [[nodiscard]] std::optional<std::map<std::int64_t, std::int64_t>> blocks_by_thread(
      NodeId id) const;
  void remote_barrier(const Meaning& meaning, const std::string& name,
                      std::vector<std::string> args, const Node& node);
  std::string barrier_text(const std::string& given);
  void barrier_of(const std::string& barrier, const std::string& count, const Range& range);

  // skeleton_copies.cpp
  /// A copy by TMA.
  struct Copied {
    const MapInput& map;
    const SharedArray& array;
    std::int64_t rows = 0;
    std::string how;  ///< Its last arguments: ", self.full[0], \"tma\"".
  };

  void copy_boxes(const Copied& copied, const MemoryPlace& first,
                  const std::vector<std::string>& boxes, bool stores, const Range& range);
  [[nodiscard]] std::string copy_text(const Copied& copied, const MemoryPlace& place,
                                      const std::string& box, bool stores) const;
  bool tensor_copy(const std::string& instruction, const Node& node);
  std::vector<std::string> box_texts(const MapInput& map, const Instruction::Operand& coordinates,
                                     const Node& node);
  std::string named_index(const std::string& index);
  MemoryPlace shared_place(const Instruction& parts, std::size_t at, const Node& node);

  // skeleton_objects.cpp
  void note_uses(NodeId id, const Function& callee, bool target, Helper& helper) const;
  bool helper_statement(NodeId id, const Helper& helper);
  bool helper_statement(NodeId id);
  std::string given_text(const Node& call, const Helper& helper, const std::string& name);
  bool find_places(const Node& call, Helper& helper);
  const Helper* helper_of(const Node& call);
  void write_helper(const Function& callee, Helper& helper);
  bool pointer_field(const Node& node);
  bool helper_call(NodeId id, const std::string& target);
  bool helper_calls(NodeId id);
  bool begin_object(const Node& call);

  // skeleton_tiles.cpp
  bool product(const std::string& instruction, const Node& node);
  std::string left_operand(const Instruction& parts, std::size_t at, const Node& node,
                           std::int64_t depth);

  // skeleton_holes.cpp
  std::string rows_of(const std::string& name, std::int64_t count);
  bool declare_registers(const Node& node);
  bool clear_registers(const Node& node);
  void open_hole(NodeId id);
  void close_hole();

  // skeleton_parts.cpp
  [[nodiscard]] bool by_block() const;
  bool joint_statement(NodeId id);
  void note_refusal(const Range& range, const std::string& why);

  // skeleton_values.cpp
  void add_variable(VariableId id, const Hole& hole, std::vector<PartVariable>& all) const;
  void add_variables(NodeId id, const Hole& hole, std::vector<PartVariable>& all) const;
  [[nodiscard]] bool is_lasting(NodeId id) const;
  [[nodiscard]] bool is_unchanged(VariableId id, NodeId initial) const;
  [[nodiscard]] bool mentions(NodeId id, const std::string& text) const;
  [[nodiscard]] std::optional<Poly> by_thread(VariableId id) const;
  [[nodiscard]] std::string why_no_values(const Hole& hole) const;
  std::string compute(const Hole& hole, Cooperation cooperation);

  const Tree& tree_;
  const LaunchInput& input_;
  Symbols& symbols_;
  const KernelFacts facts_;
  const ThreadValues values_;
  SharedBuffers buffers_;
  RegisterTiles tiles_;
  ProgramDraft draft_;
  KernelTexts texts_;
  HoleStatements holes_;
  bool cooperates_ = false;                       // The block is one worker: its threads count.
  std::map<VariableId, DeclaredAt> declared_at_;  // By pointer, for those that name a place.
  std::map<std::pair<FunctionId, std::map<std::string, std::string>>, Helper> helpers_;
  std::vector<Return> returns_;        // The returns of the functions that are being entered.
  std::vector<FunctionId> entered_;    // These functions.
  int role_depth_ = 0;                 // The draft's, where the kernel or a role begins.
  std::optional<std::string> wanted_;  // The name for the value of the call to come.
  std::vector<Role> roles_;            // That a first walk found where threads part.
  std::string refusal_;                // Why a cooperation statement was not lifted ...
  Range refused_;                      // ... and where it stands.
  std::map<std::string, std::string> barriers_;  // The counts that they wait for.
  Mapped mapped_;                   // In the assembly that is being read; no name: none.
  std::vector<Open> open_;          // The innermost last.
  bool parted_ = false;             // Into roles, which have done all that comes after.
  bool ended_ = false;              // The function, or the role, has returned.
  bool several_ = false;            // Calls that are entered in the statement.
  std::vector<NodeId> role_nodes_;  // All statements of the role that is being written.
  Lanes waiting_;                   // Some threads of a worker that wait; empty: none do.
  NodeId some_of_ = kNone;          // The outermost branch that some threads of a worker take.
  bool hole_open_ = false;
  Lanes active_ = {1};
  std::string scale_;  // The scale of the next product: "1" where it adds.
};

}  // namespace ws::lift
