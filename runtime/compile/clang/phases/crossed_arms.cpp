#include "runtime/compile/clang/phases/crossed_arms.h"

#include <algorithm>

#include "runtime/compile/clang/phases/exchange.h"

namespace ws::clang_engine {

CrossedArms::CrossedArms(llvm::Function& function, const std::vector<Stop>& stops,
                         Uniformity& uniformity, const llvm::PostDominatorTree& behind) {
  for (const Stop& stop : stops) {
    if (is_exchange_of_all(stop)) {
      meetings_.insert(stop.call->getParent());
    }
  }
  for (const llvm::BasicBlock& block : function) {
    if (llvm::succ_size(&block) > 1 && !uniformity.same_way(block)) {
      add_arms(block, behind);
    }
  }
}

void CrossedArms::add_arms(const llvm::BasicBlock& branch, const llvm::PostDominatorTree& behind) {
  const std::vector<const llvm::BasicBlock*> ways(llvm::succ_begin(&branch),
                                                  llvm::succ_end(&branch));
  const llvm::BasicBlock* end = common_end(ways, behind);
  std::vector<Blocks> with_meetings;
  for (const llvm::BasicBlock* way : ways) {
    Blocks arm;
    add_blocks(arm, *way, [&](const auto& block) { return &block == end; });
    if (std::any_of(arm.begin(), arm.end(),
                    [&](const auto* block) { return meetings_.contains(block); })) {
      with_meetings.push_back(std::move(arm));
    }
  }
  if (with_meetings.size() > 1) {
    for (const Blocks& arm : with_meetings) {
      blocks_.insert(arm.begin(), arm.end());
    }
  }
}

}  // namespace ws::clang_engine
