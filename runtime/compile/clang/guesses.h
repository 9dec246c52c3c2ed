// Plain reads of a word that an atomic compare-and-swap checks: CUDA's guide begins its loops with
// one. Whatever other threads write to the word meanwhile, the swap tells, so such a read is no
// race.
#pragma once

#include <set>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace ws::clang_engine {

/// The reads of a function whose value a swap of the same word is compared with, and that have no
/// other effect: from the value follow only that which is swapped in, and whether a swap is tried
/// at all. A value that is stored, or that decides what is stored on the way to the swap, is more
/// than a guess.
std::set<const llvm::LoadInst*> guesses_of(const llvm::Function& function);

}  // namespace ws::clang_engine
