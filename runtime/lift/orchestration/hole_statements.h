// The statements of a skeleton that stay holes: the names that they read and write, as the program
// has them, and what stands there until somebody fills them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/lift.h"
#include "runtime/lift/orchestration/kernel_facts.h"
#include "runtime/lift/orchestration/kernel_texts.h"
#include "runtime/lift/orchestration/program_draft.h"
#include "runtime/lift/orchestration/register_tiles.h"
#include "runtime/lift/orchestration/shared_buffers.h"

namespace ws::lift {

/// One hole at a time is open. One thread at a time; what it is given outlives it.
class HoleStatements {
 public:
  /// @param buffers  Those that a hole reads or writes are used by the program.
  HoleStatements(const Tree& tree, const KernelFacts& facts, const ThreadValues& values,
                 const KernelTexts& texts, SharedBuffers& buffers, const RegisterTiles& tiles,
                 const ProgramDraft& draft);

  void begin_walk() { declared_before_.clear(); }

  /// A hole begins, without statements.
  void open();

  /// Adds a statement, and to the hole's inputs and outputs what it reads and writes.
  void add(NodeId id, Hole& hole);

  /// The open hole stays one.
  void close() { declared_before_.insert(declared_.begin(), declared_.end()); }

  /// The statements of the open hole.
  [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_; }

  /// Whether the open hole declares a variable.
  [[nodiscard]] bool declares(VariableId id) const { return declared_.contains(id); }

  /// Whether a hole that is closed has declared a variable, which has no value behind it.
  [[nodiscard]] bool has_declared(VariableId id) const { return declared_before_.contains(id); }

  /// A variable of another block has the same declaration.
  void forget(VariableId id) { declared_before_.erase(id); }

  /// A hole's line in its method, and those that write tiles which it gives.
  struct Call {
    /// "x, value_2 = self.hole_1(x, acc)"
    std::string text;
    /// Outputs that have a name here; some memory has none.
    std::vector<std::string> given;
    /// "acc[:] = value_2": a buffer stays, the values go into it.
    std::vector<std::string> writes;
  };

  [[nodiscard]] Call call(const Hole& hole) const;

  /// A stand-in for a hole until it is filled, as lines of a method: it reads the tiles that it is
  /// given, and gives tiles of the right sizes, so that everything around it can be verified.
  [[nodiscard]] std::vector<std::string> stand_in(const Hole& hole) const;

 private:
  void note(NodeId id, Hole& hole, bool target);
  void note_call(const Node& node, Hole& hole);
  void note_variable(NodeId id, Hole& hole, bool target);
  void note_place(NodeId id, Hole& hole);
  [[nodiscard]] bool is_own(NodeId id) const;
  [[nodiscard]] std::string result_text(const Hole& hole, const std::string& output,
                                        bool& tile) const;

  const Tree& tree_;
  const KernelFacts& facts_;
  const ThreadValues& values_;
  const KernelTexts& texts_;
  SharedBuffers& buffers_;
  const RegisterTiles& tiles_;
  const ProgramDraft& draft_;
  std::vector<NodeId> nodes_;
  std::set<VariableId> declared_;         // In the open hole.
  std::set<VariableId> declared_before_;  // In holes that are closed.
  std::set<std::string> integers_;        // Outputs of holes that are integers.
};

}  // namespace ws::lift
