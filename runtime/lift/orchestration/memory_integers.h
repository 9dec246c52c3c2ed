// Integers that a kernel reads from memory: they may be anything that their type has, while other
// integers of a skeleton, such as stages and indices, are taken never to wrap.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// Follows such integers through variables, fields of objects and functions: what holds one
/// anywhere in the kernel holds one everywhere. Integers of 8 bytes in memory may be mbarriers:
/// they count where something is computed with them.
class MemoryIntegers {
 public:
  explicit MemoryIntegers(const Tree& tree);

  /// Whether the value of an expression may come from memory.
  [[nodiscard]] bool is_data(NodeId id) const { return data_[static_cast<std::size_t>(id)]; }

  /// Whether a variable may hold such a value.
  [[nodiscard]] bool holds_data(VariableId id) const { return variables_.contains(id); }

  /// Whether an expression reads an integer from memory, of any size.
  [[nodiscard]] bool reads(NodeId id) const;

  /// Whether CuIR computes an expression as C does, apart from its operands. With integers from
  /// memory that is so for `int` and operators that do not wrap: not for unsigned and short ones,
  /// conversions and shifts to the left. A sum that C takes as unsigned and converts back counts as
  /// one of `int`: it is taken not to wrap. Quotients round towards zero.
  [[nodiscard]] bool has_form(NodeId id) const;

 private:
  void find_references();
  [[nodiscard]] bool is_register(NodeId id) const;
  bool note(NodeId id);
  bool note_target(NodeId target);
  void find_sums_of_int();
  bool is_sum_of_int(NodeId id, std::vector<NodeId>& parts) const;
  [[nodiscard]] bool comes_from_memory(NodeId id) const;

  const Tree& tree_;
  std::vector<bool> data_;          // By node.
  std::vector<bool> sum_of_int_;    // By node: an unsigned part of a sum that becomes an `int`.
  std::set<VariableId> elsewhere_;  // References that may stand for memory.
  std::set<VariableId> variables_;
  std::set<std::string> fields_;  // By name, whatever class has it.
  std::set<FunctionId> functions_;
};

}  // namespace ws::lift
