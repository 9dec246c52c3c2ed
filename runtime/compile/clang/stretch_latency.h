// How long a warp takes from the first instruction of a stretch to the last when it has the SM for
// itself, and how many registers a kernel needs.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "runtime/compile/profile_map.h"

namespace ws::clang_engine {

/// Sets `chain`, `depth`, `waits` and `rounds` of a stretch.
/// @param instructions  All of the stretch, in order; at least one. @param whole_block  They are a
/// whole block.
void find_latency(const std::vector<const llvm::Instruction*>& instructions, bool whole_block,
                  ProfiledStretch& stretch);

/// The most 32-bit values that are alive at a time, in the order of the code as it stands.
std::uint32_t live_words(const llvm::Function& function);

}  // namespace ws::clang_engine
