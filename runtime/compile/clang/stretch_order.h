// The order in which a warp's threads run the blocks of a function, so that they meet again.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>

namespace ws::clang_engine {

/// Reachable blocks: each after all that lead to it other than by a loop's back edge, and the
/// blocks of a loop side by side, so that what follows a loop comes after all of it.
std::vector<llvm::BasicBlock*> stretch_order(llvm::Function& function);

}  // namespace ws::clang_engine
