// The variables that a line of a kernel sees, and what the program calls them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lift/lift.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// An array of floating-point numbers.
struct ArrayVariable {
  VariableId id = kNone;
  std::vector<std::int64_t> dims;
};

/// The body of a kernel's entry, without the functions that it calls.
class KernelScope {
 public:
  KernelScope(const Tree& tree, FunctionId entry);

  /// The integers that text before `line` may use, by the names that the program has for them.
  /// @param arguments  The kernel's parameters, by CuIR's names.
  [[nodiscard]] std::vector<IndexText> integers(
      std::int32_t line, const std::map<std::string, std::string>& arguments) const;

  /// Nothing: the kernel has none of that name, or several.
  [[nodiscard]] std::optional<ArrayVariable> array(const std::string& name) const;

  /// The value that an integer is declared with; kNone: it is not declared with one, or several
  /// are.
  [[nodiscard]] NodeId initial(const std::string& name) const;

  /// Calls of a function, or of a copy of it, that are given the variable.
  [[nodiscard]] std::vector<NodeId> calls(FunctionId function, VariableId given) const;

  /// Whether one of its variables has the name.
  [[nodiscard]] bool has(const std::string& name) const;

 private:
  struct Declared {
    VariableId variable = kNone;
    NodeId initial = kNone;
    std::int32_t line = 0;       ///< Its own, or 0 for a parameter.
    std::int32_t last_line = 0;  ///< The last one of the block around it.
  };

  [[nodiscard]] bool is_integer(VariableId id) const;
  [[nodiscard]] std::int32_t last_line_around(const Range& range) const;

  const Tree& tree_;
  const Function& entry_;
  std::vector<Declared> declared_;
};

/// The variable that an expression is a part of: `acc` of `acc[i].x`; kNone: none.
VariableId variable_of(const Tree& tree, NodeId id);

}  // namespace ws::lift
