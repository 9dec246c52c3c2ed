#include "runtime/compile/clang/yields.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "runtime/compile/clang/same_address.h"

namespace ws::clang_engine {
namespace {

/// The word that an atomic update reads and writes; null for other instructions.
const llvm::Value* updated_by(const llvm::Instruction& instruction) {
  if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return swap->getPointerOperand();
  }
  const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  return update == nullptr ? nullptr : update->getPointerOperand();
}

/// The word whose value the kernel gets; null: it gets none.
const llvm::Value* read_by(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return load->getPointerOperand();
  }
  return instruction.use_empty() ? nullptr : updated_by(instruction);
}

/// The word that is written; null for other instructions.
const llvm::Value* written_by(const llvm::Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store != nullptr ? store->getPointerOperand() : updated_by(instruction);
}

/// By the object that they read from.
using Reads = llvm::DenseMap<const llvm::Value*, std::vector<const llvm::Instruction*>>;

Reads reads_of(const llvm::Function& kernel) {
  Reads reads;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::Value* word = read_by(instruction);
    const llvm::Value* object = word == nullptr ? nullptr : llvm::getUnderlyingObject(word, 0);
    if (object != nullptr && !llvm::isa<llvm::AllocaInst>(object)) {
      reads[object].push_back(&instruction);
    }
  }
  return reads;
}

/// Whether the write may follow from the value that was read. An update follows from its own last
/// turn in a loop only where it compares with what it found there: others lose nothing.
bool may_follow(const llvm::Instruction& read, const llvm::Instruction& write,
                const llvm::DominatorTree& dominators) {
  if (&read != &write) {
    return llvm::isPotentiallyReachable(&read, &write, nullptr, &dominators);
  }
  const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&write);
  return swap != nullptr && !llvm::isa<llvm::Constant>(swap->getCompareOperand()) &&
         llvm::isPotentiallyReachable(write.getParent()->getTerminator(), &write, nullptr,
                                      &dominators);
}

/// The writes of a block whose word may have been read on the way there; of several after the same
/// reads the first one is enough. Where a word of the address was written between the two, a thread
/// yields for nothing.
void collect(llvm::BasicBlock& block, const Reads& reads, const llvm::DominatorTree& dominators,
             std::vector<llvm::Instruction*>& places) {
  bool read = true;  // Since the last place.
  for (llvm::Instruction& instruction : block) {
    const llvm::Value* word = written_by(instruction);
    if (word != nullptr && read) {
      const auto same = reads.find(llvm::getUnderlyingObject(word, 0));
      if (same != reads.end() &&
          std::any_of(same->second.begin(), same->second.end(), [&](const llvm::Instruction* at) {
            return is_same_address(*read_by(*at), *word) &&
                   may_follow(*at, instruction, dominators);
          })) {
        places.push_back(&instruction);
        read = false;
      }
    }
    read = read || read_by(instruction) != nullptr;
  }
}

bool is_yield(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kYield;
}

}  // namespace

void insert_yields(llvm::Function& kernel) {
  const Reads reads = reads_of(kernel);
  const llvm::DominatorTree dominators(kernel);
  std::vector<llvm::Instruction*> places;
  for (llvm::BasicBlock& block : kernel) {
    collect(block, reads, dominators, places);
  }
  for (llvm::Instruction* place : places) {
    llvm::IRBuilder<> builder(place);
    builder
        .CreateCall(kernel.getParent()->getOrInsertFunction(
            kYield, llvm::FunctionType::get(builder.getVoidTy(), false)))
        ->setDoesNotThrow();
  }
}

void remove_yields(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (is_yield(instruction)) {
      instruction.eraseFromParent();
    }
  }
}

}  // namespace ws::clang_engine
