// The orchestration of a kernel as CuIR, where what its threads compute was not understood: roles,
// loops, copies, products, barriers and integers as they stand; all else is a hole.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/input.h"
#include "runtime/lift/lift.h"
#include "runtime/lift/meanings.h"
#include "runtime/lift/threads.h"

namespace ws::lift {

/// Walks the kernel and writes. What is in the table and cannot be written is told, with its lines,
/// and stands as a comment where it was: a synchronisation is never in a hole.
class Skeleton {
 public:
  Skeleton(const Tree& tree, const LaunchInput& input);

  /// Whether the kernel orchestrates anything.
  static bool is_worthwhile(const Tree& tree, const LaunchInput& input);

  /// Adds to `program`: ir, holes, not_lifted. @errors kInternal: what was written does not parse.
  Status write(const std::string& name, Program& program);

 private:
  struct Method {
    std::string name;
    std::string bind;  ///< "\"warpgroup\", 1, 2"; empty: no role.
    std::vector<std::string> lines;
  };

  // skeleton.cpp
  void statement(NodeId id);
  void block(const Node& node);
  void control(NodeId id);
  void branch(const Node& node);
  void roles(const Node& node, const Lanes& truth);
  void simple(NodeId id);
  void close_hole();
  void line(const std::string& text, const Range& range);
  [[nodiscard]] std::string mark(const Range& range) const;
  [[nodiscard]] Lanes narrowed(NodeId id, Lanes active) const;
  [[nodiscard]] std::string bind_text(const Lanes& active) const;
  std::string program_text(const std::string& name) const;

  // skeleton_loops.cpp
  bool integer_statement(const Node& node);
  void loop(const Node& node);
  bool counted(const Node& node, std::string& head, std::vector<NodeId>& rest);

  // skeleton_calls.cpp
  /// Whether something of the table that is no plain value is in it, also in what it calls.
  [[nodiscard]] bool has_primitives(NodeId id) const;
  void primitives(NodeId id);
  void called(const Node& node);
  void assembly(const Node& node);
  void primitive(const Meaning* meaning, const std::string& name,
                 const std::vector<std::string>& args, const Range& range);
  void barrier_of(const std::string& barrier, const std::string& count, const Range& range);

  // skeleton_text.cpp
  /// An integer, or a place in memory; empty: it depends on the thread, or has no form in CuIR.
  [[nodiscard]] std::string text(NodeId id) const;
  [[nodiscard]] std::string variable_text(VariableId id) const;
  [[nodiscard]] std::string binary_text(const Node& node) const;
  [[nodiscard]] std::string call_text(const Node& node) const;
  void note_names(NodeId id, Hole& hole, bool target);

  const Tree& tree_;
  const LaunchInput& input_;
  const ThreadValues values_;
  std::vector<std::string> build_;  // Of __init__.
  std::vector<Method> methods_;     // Roles and holes; the first one is what comes before roles.
  std::size_t current_ = 0;
  std::vector<std::map<VariableId, std::string>> names_;  // Parameters of what is entered.
  std::map<VariableId, NodeId> initial_;                  // What a variable was declared with.
  std::vector<std::string> barriers_;
  mutable std::map<FunctionId, bool> primitive_;  // Of functions: has_primitives of their bodies.
  std::vector<Hole> holes_;
  std::vector<NotLifted> not_lifted_;
  bool hole_open_ = false;
  std::set<VariableId> declared_;  // In the open hole.
  Lanes active_ = {1};
  int indent_ = 2;
  std::size_t lines_ = 0;
};

}  // namespace ws::lift
