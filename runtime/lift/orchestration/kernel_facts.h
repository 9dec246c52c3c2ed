// Facts about a kernel's statements, wherever the walk of a skeleton meets them: whether they
// orchestrate, wait, copy or multiply together, and which variables are addresses, read or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "runtime/lift/orchestration/changed_variables.h"
#include "runtime/lift/orchestration/memory_integers.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// Work that threads or warps do one by one, and the block does as a whole.
enum class Cooperation : std::uint8_t { kNothing, kCopies, kProducts, kOther };

/// Keeps what it found out of functions. One thread at a time; the tree outlives it.
class KernelFacts {
 public:
  explicit KernelFacts(const Tree& tree);

  /// Whether something of the table that is no plain value is in it, also in what it calls.
  [[nodiscard]] bool has_primitives(NodeId id) const;

  /// The kind of cooperative work of the block that the statement is: copies or products, and
  /// nothing else that orchestrates.
  [[nodiscard]] Cooperation cooperation_of(NodeId id) const;

  /// Whether something in it, or in what it calls, may wait for other threads.
  [[nodiscard]] bool waits(NodeId id) const;

  /// Whether a call of the kernel's own function writes what its argument refers to. A function
  /// that calls itself is not followed.
  [[nodiscard]] bool is_written(const Node& call, std::size_t argument) const;

  /// Whether an integer is an address or a descriptor: it stands for the memory that it was made
  /// from.
  [[nodiscard]] bool is_address(NodeId id) const;

  [[nodiscard]] bool is_integer(TypeId id) const;
  [[nodiscard]] bool is_pointer(VariableId id) const;

  /// Whether a declaration gives memory, or a variable, another name.
  [[nodiscard]] bool is_alias(const Node& node) const;

  /// Whether a statement only stops a kernel that is wrong.
  [[nodiscard]] bool is_assertion(NodeId id) const;

  /// Whether a statement is assignments to integers, and such of pointers, and nothing else.
  [[nodiscard]] bool is_straight(NodeId id) const;

  /// Whether a statement gives a pointer in an object its only value.
  [[nodiscard]] bool is_pointer_field(const Node& node) const;

  /// The value that a variable was declared with; kNone: none.
  [[nodiscard]] NodeId initial(VariableId id) const;

  /// Whether a statement has a `return` in it, apart from those of functions that it calls.
  [[nodiscard]] bool returns(NodeId id) const;

  /// Whether a statement names a variable, apart from functions that it calls.
  [[nodiscard]] bool names(NodeId id, VariableId variable) const;

  /// Whether the place that a function gives, or makes a descriptor of, is that of its only
  /// pointer: nothing is added to it.
  [[nodiscard]] bool keeps_place(FunctionId id) const;

  /// How often the kernel names a variable, other than where it declares it.
  [[nodiscard]] int uses(VariableId id) const;

  /// The statement among those of a block that declares a variable; kNone: there is none.
  [[nodiscard]] NodeId declaration(VariableId id) const;

  /// Whether the same block has both statements.
  [[nodiscard]] bool are_in_one_block(NodeId one, NodeId other) const;

  /// Integers that are read from memory.
  [[nodiscard]] const MemoryIntegers& from_memory() const { return from_memory_; }

  [[nodiscard]] const ChangedVariables& changed() const { return changed_; }

  /// Whether an expression changes a variable besides what its statement is there for: `f(i++)`.
  [[nodiscard]] bool changes_within(NodeId statement) const;

  /// Whether anything reads a variable.
  [[nodiscard]] bool is_read(VariableId id) const { return read_.contains(id); }

  /// Whether a call writes a variable through a reference.
  [[nodiscard]] bool is_output(VariableId id) const { return outputs_.contains(id); }

 private:
  [[nodiscard]] bool waits(NodeId id, std::set<FunctionId>& seen) const;
  [[nodiscard]] bool assigns(NodeId id, VariableId param) const;
  [[nodiscard]] bool makes_address(FunctionId id) const;
  [[nodiscard]] int changes_of_field(const Node& member) const;

  const Tree& tree_;
  MemoryIntegers from_memory_;
  ChangedVariables changed_;
  std::map<VariableId, NodeId> initial_;
  std::map<VariableId, int> uses_;
  std::map<VariableId, NodeId> declarations_;
  std::map<NodeId, const Node*> blocks_;  // By the statements that stand in them.
  std::set<VariableId> read_;
  std::set<VariableId> outputs_;
  // These hold what was found out of functions, and of parameters.
  mutable std::map<FunctionId, bool> primitive_;
  mutable std::map<FunctionId, Cooperation> cooperations_;
  mutable std::map<VariableId, bool> written_;
  mutable std::map<FunctionId, bool> places_;
  mutable std::map<FunctionId, bool> addresses_;
};

}  // namespace ws::lift
