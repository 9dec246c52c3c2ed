// Names that CuIR has for a kernel's integers.
#pragma once

#include <map>
#include <set>
#include <string>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// A method of CuIR has one variable of a name, while a block of C may hide an outer one by its
/// own, and functions that are entered have theirs: such a one is named with `_` behind it.
class LocalNames {
 public:
  LocalNames(const Tree& tree, FunctionId entry);

  [[nodiscard]] std::string of(VariableId id) const;

 private:
  void enter(FunctionId id, std::set<std::string> around);
  void walk(NodeId id, std::set<std::string>& around);
  void declare(VariableId id, std::set<std::string>& around);

  const Tree& tree_;
  std::set<std::string> all_;                            // Every variable's name.
  std::map<FunctionId, std::set<std::string>> entered_;  // Names around calls of a function.
  std::map<VariableId, std::string> names_;
};

}  // namespace ws::lift
