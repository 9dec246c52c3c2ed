// The variables that statements of a kernel change.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "runtime/lift/orchestration/bindings.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// Follows names: a reference stands for the variables that it may be another name of, and a
/// parameter for those that any call gives it. An object is one variable with all its fields;
/// memory is none.
class ChangedVariables {
 public:
  explicit ChangedVariables(const Tree& tree);

  /// The variables that a statement, or a function that it calls, may change.
  [[nodiscard]] std::set<VariableId> by(NodeId id) const;

  /// The variables that an expression is made of, and those that they are other names of.
  [[nodiscard]] std::set<VariableId> in(NodeId id) const;

  /// The variable that a place is in, as it is named there; kNone: it depends on a choice.
  [[nodiscard]] NodeId root_of(NodeId place) const;

 private:
  bool bind(const Binding& one);
  void add_place(NodeId id, std::set<VariableId>& all) const;
  void add_target(NodeId id, std::set<VariableId>& all) const;
  [[nodiscard]] bool is_pointer(NodeId id) const;
  void remove_own(const Function& function, std::set<VariableId>& all) const;
  void add_changes(NodeId id, std::set<VariableId>& all) const;

  const Tree& tree_;
  std::vector<std::set<VariableId>> stands_for_;  // By variable; those of references and pointers.
  mutable std::map<FunctionId, std::set<VariableId>> by_function_;
};

bool meet(const std::set<VariableId>& some, const std::set<VariableId>& others);

}  // namespace ws::lift
