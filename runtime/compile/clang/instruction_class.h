// The class of the instruction that a GPU would execute for one of ours.
#pragma once

#include <cstdint>

#include <llvm/IR/Instruction.h>

#include "runtime/compile/profile_map.h"

namespace ws::clang_engine {

/// Instructions and floating-point operations; count 0: a GPU needs none for it.
struct InstructionCost {
  InstrClass kind = InstrClass::kOther;
  std::uint32_t count = 0;
  std::uint32_t flops = 0;
};

/// Vectors count for each element. A product whose only use is a sum is one instruction with it,
/// where the front end allowed to fuse them. Nothing for an instruction that is only bookkeeping:
/// debug records, casts between pointers, constant offsets, unconditional branches.
InstructionCost cost_of(const llvm::Instruction& instruction);

}  // namespace ws::clang_engine
