// Which variables the functions of a module use, and which members of blocks.
#pragma once

#include <set>
#include <span>
#include <utility>

#include "runtime/compile/spirv/types.h"

namespace ws::spirv {

class Uses {
 public:
  Uses(std::span<const Instruction> instructions, const Types& types);

  [[nodiscard]] bool has(Id variable) const { return variables_.contains(variable); }

  /// @param member  Of the block that the variable is.
  [[nodiscard]] bool has_member(Id variable, std::uint32_t member) const {
    return whole_.contains(variable) || members_.contains({variable, member});
  }

 private:
  std::set<Id> variables_;
  std::set<Id> whole_;  // Used otherwise than by one member.
  std::set<std::pair<Id, std::uint32_t>> members_;
};

}  // namespace ws::spirv
