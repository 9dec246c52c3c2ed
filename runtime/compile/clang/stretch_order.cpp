#include "runtime/compile/clang/stretch_order.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace ws::clang_engine {
namespace {

/// Collects blocks; where the first of a loop comes, the whole loop does.
class Collector {
 public:
  Collector(const llvm::LoopInfo& loops, const std::vector<llvm::BasicBlock*>& sequence)
      : loops_(loops),
        sequence_(sequence) {}

  /// The blocks of `loop`; of the whole function when it is null. Depth: that of the loop nest.
  void collect(const llvm::Loop* loop) {
    for (llvm::BasicBlock* block : sequence_) {
      if (loop != nullptr && !loop->contains(block)) {
        continue;
      }
      if (done_.contains(block)) {
        continue;
      }
      const llvm::Loop* child = loops_.getLoopFor(block);
      while (child != nullptr && child != loop && child->getParentLoop() != loop) {
        child = child->getParentLoop();
      }
      if (child == loop) {
        done_.insert(block);
        order.push_back(block);
      } else {
        collect(child);
      }
    }
  }

  std::vector<llvm::BasicBlock*> order;

 private:
  const llvm::LoopInfo& loops_;
  const std::vector<llvm::BasicBlock*>& sequence_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> done_;
};

}  // namespace

std::vector<llvm::BasicBlock*> stretch_order(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::ReversePostOrderTraversal<llvm::Function*> reverse(&function);
  const std::vector<llvm::BasicBlock*> sequence(reverse.begin(), reverse.end());
  Collector collector(loops, sequence);
  collector.collect(nullptr);
  return std::move(collector.order);
}

}  // namespace ws::clang_engine
