#include "runtime/compile/clang/phases/ends.h"

#include <map>
#include <set>

namespace ws::clang_engine {
namespace {

/// The stops, and the end of the kernel as null, that can be reached from a block.
using Ends = std::set<const llvm::CallInst*>;

std::map<const llvm::BasicBlock*, Ends> ends_by_block(
    const std::set<const llvm::BasicBlock*>& blocks) {
  std::map<const llvm::BasicBlock*, Ends> ends;
  for (const llvm::BasicBlock* block : blocks) {
    const llvm::CallInst* stop = stop_in(*block);
    if (stop != nullptr || llvm::isa<llvm::ReturnInst>(block->getTerminator())) {
      ends[block].insert(stop);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::BasicBlock* block : blocks) {
      if (stop_in(*block) != nullptr) {
        continue;
      }
      Ends& own = ends[block];
      const std::size_t before = own.size();
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        own.insert(ends[next].begin(), ends[next].end());
      }
      changed = changed || own.size() != before;
    }
  }
  return ends;
}

}  // namespace

bool ends_same_way(const CutSource& source, std::size_t number) {
  const llvm::BasicBlock& start =
      number == 0 ? source.thread.getEntryBlock() : *source.stops[number - 1].after;
  const std::set<const llvm::BasicBlock*> blocks = blocks_before_stops(start);
  std::map<const llvm::BasicBlock*, Ends> ends = ends_by_block(blocks);
  if (ends[&start].size() < 2) {
    return true;
  }
  for (const llvm::BasicBlock* block : blocks) {
    if (stop_in(*block) != nullptr) {
      continue;
    }
    // A way that leads to no end at all is a trap: its thread is not heard of again.
    std::set<Ends> choices;
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (!ends[next].empty()) {
        choices.insert(ends[next]);
      }
    }
    if (choices.size() > 1 &&
        (source.uniformity == nullptr || !source.uniformity->same_way(*block))) {
      return false;
    }
  }
  return true;
}

}  // namespace ws::clang_engine
