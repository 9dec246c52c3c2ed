// Which values of a kernel are the same in all threads of a block that go on together.
#pragma once

#include <set>
#include <vector>

#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace ws::clang_engine {

/// For one kernel whose stops have blocks of their own (stops.h); it must not change any more. Its
/// loops are in LCSSA form: a value of a loop that threads leave at different times differs behind
/// it.
class Uniformity {
 public:
  /// @param aligned  Units are warps that lie along the x axis (warp_starts.h).
  Uniformity(llvm::Function& function, bool aligned);

  /// True where all threads of a unit that come to the value's place have the same, and come there
  /// together: never one of them before another has passed a stop.
  [[nodiscard]] bool same_for_unit(const llvm::Value& value) const;

  /// True where a thread that waits at `stop` may need a value of which others, who do not wait for
  /// it there, compute the next one meanwhile.
  [[nodiscard]] bool is_overtaken(const llvm::Instruction& value, const llvm::CallInst& stop) const;

  /// True where all threads that come to the end of `block` go the same way, at the same time.
  [[nodiscard]] bool same_way(const llvm::BasicBlock& block) {
    return !uniform_->hasDivergentTerminator(block) && !apart_.contains(&block);
  }

  /// True where only a part of the threads of a unit that have not ended may come, or where they
  /// may come at different times.
  [[nodiscard]] bool is_parted(const llvm::BasicBlock& block) const {
    return parted_.contains(&block) || apart_.contains(&block);
  }

 private:
  using Blocks = std::set<const llvm::BasicBlock*>;

  /// Arms of a branch have stops at which not all threads of a unit wait for each other.
  struct Overtaking {
    std::set<const llvm::CallInst*> stops;  ///< Where threads may be that others leave behind.
    Blocks blocks;  ///< Where those others may be, until all threads of the unit wait.
  };

  bool find_joins(const llvm::Function& function, const llvm::PostDominatorTree& behind);
  void find_parted_blocks(const llvm::Function& function, const llvm::PostDominatorTree& behind);
  void find_overtaking(const Blocks& arms, const llvm::BasicBlock* meeting);

  llvm::FunctionAnalysisManager analyses_;
  llvm::UniformityInfo* uniform_ = nullptr;  ///< One of them.
  /// Values that differ, as threads come there by different ways.
  std::set<const llvm::Value*> joins_;
  Blocks parted_;
  Blocks apart_;  ///< Those of `overtaking_`: threads come there at different times.
  std::vector<Overtaking> overtaking_;
};

}  // namespace ws::clang_engine
