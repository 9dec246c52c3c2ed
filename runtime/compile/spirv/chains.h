// The access chains of a module: which variable an access goes into, and whether it writes.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>

#include "runtime/compile/spirv/types.h"

namespace ws::spirv {

class Chains {
 public:
  /// @param instructions  A module's. They and the types outlive this object.
  Chains(std::span<const Instruction> instructions, const Types& types);

  /// The type of a value that may be an index or the base of a chain; 0: it is another one.
  [[nodiscard]] Id type_of(Id value) const;

  /// The chain that this one goes on from, or null.
  [[nodiscard]] const Instruction* outer(const Instruction& chain) const;

  /// The variable that a chain goes into.
  [[nodiscard]] Id variable_of(const Instruction& chain) const;

  /// A block without a name goes by that of its last member; "": a local array.
  [[nodiscard]] std::string name_of(Id variable) const;

  /// Whether something is stored right where the chain leads.
  [[nodiscard]] bool is_written(const Instruction& chain) const;

 private:
  void note_value(const Instruction& instruction);

  const Types& types_;
  std::set<Id> written_;
  std::map<Id, Id> value_types_;
  std::map<Id, const Instruction*> chains_;  // By their results.
};

}  // namespace ws::spirv
