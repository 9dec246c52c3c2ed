// Accesses that a vector of threads makes under a condition, skipped where none of them makes it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace ws::clang_engine {

/// Puts a branch around each gather and scatter with a mask: the processor takes as long for one of
/// no elements as for a full one, and most often the condition is `threadIdx.x == 0`.
struct SkipEmptyMasks : llvm::PassInfoMixin<SkipEmptyMasks> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace ws::clang_engine
