// Arms of branches in which lanes of a warp meet lanes that are in another arm of the same branch.
#pragma once

#include <set>
#include <vector>

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>

#include "runtime/compile/clang/phases/stops.h"
#include "runtime/compile/clang/phases/uniform.h"

namespace ws::clang_engine {

/// A shuffle in one arm gives what lanes have in another one, where that is another value.
class CrossedArms {
 public:
  CrossedArms(llvm::Function& function, const std::vector<Stop>& stops, Uniformity& uniformity,
              const llvm::PostDominatorTree& behind);

  [[nodiscard]] bool contains(const llvm::BasicBlock& block) const {
    return blocks_.contains(&block);
  }

 private:
  using Blocks = std::set<const llvm::BasicBlock*>;

  void add_arms(const llvm::BasicBlock& branch, const llvm::PostDominatorTree& behind);

  Blocks meetings_;  ///< Those of the operations of all lanes of a warp.
  Blocks blocks_;
};

}  // namespace ws::clang_engine
