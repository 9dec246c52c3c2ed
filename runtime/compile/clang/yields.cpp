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

namespace ws::clang_engine {
namespace {

/// How far the computation of two addresses is compared.
constexpr unsigned kComparedDepth = 6;

/// True where both are computed alike from the same values and words: they are equal, but for words
/// that are written between them. Then a thread yields for nothing.
bool is_same(const llvm::Value* one, const llvm::Value* other, unsigned depth = 0) {
  if (one == other) {
    return true;
  }
  const auto* a = llvm::dyn_cast<llvm::Instruction>(one);
  const auto* b = llvm::dyn_cast<llvm::Instruction>(other);
  if (depth == kComparedDepth || a == nullptr || b == nullptr || llvm::isa<llvm::PHINode>(a) ||
      a->mayWriteToMemory() || !a->isSameOperationAs(b)) {
    return false;
  }
  for (unsigned i = 0; i < a->getNumOperands(); ++i) {
    if (!is_same(a->getOperand(i), b->getOperand(i), depth + 1)) {
      return false;
    }
  }
  return true;
}

/// By the object that they read from.
using Loads = llvm::DenseMap<const llvm::Value*, std::vector<const llvm::LoadInst*>>;

Loads loads_of(const llvm::Function& kernel) {
  Loads loads;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr) {
      continue;
    }
    const llvm::Value* object = llvm::getUnderlyingObject(load->getPointerOperand(), 0);
    if (!llvm::isa<llvm::AllocaInst>(object)) {
      loads[object].push_back(load);
    }
  }
  return loads;
}

/// The word that a store, an exchange or a compare-and-swap writes; null for others. An addition
/// by an atomic loses nothing.
const llvm::Value* written_by(const llvm::Instruction& instruction) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return store->getPointerOperand();
  }
  if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return swap->getPointerOperand();
  }
  const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  return update != nullptr && update->getOperation() == llvm::AtomicRMWInst::Xchg
             ? update->getPointerOperand()
             : nullptr;
}

/// The writes of a block whose word may have been read on the way there; of several after the same
/// reads the first one is enough.
void collect(llvm::BasicBlock& block, const Loads& loads, const llvm::DominatorTree& dominators,
             std::vector<llvm::Instruction*>& places) {
  bool read = true;  // Since the last place.
  for (llvm::Instruction& instruction : block) {
    const llvm::Value* word = written_by(instruction);
    if (word != nullptr && read) {
      const auto same = loads.find(llvm::getUnderlyingObject(word, 0));
      if (same != loads.end() &&
          std::any_of(same->second.begin(), same->second.end(), [&](const llvm::LoadInst* load) {
            return is_same(load->getPointerOperand(), word) &&
                   llvm::isPotentiallyReachable(load, &instruction, nullptr, &dominators);
          })) {
        places.push_back(&instruction);
        read = false;
      }
    }
    read = read || llvm::isa<llvm::LoadInst>(instruction);
  }
}

bool is_yield(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kYield;
}

}  // namespace

void insert_yields(llvm::Function& kernel) {
  const Loads loads = loads_of(kernel);
  const llvm::DominatorTree dominators(kernel);
  std::vector<llvm::Instruction*> places;
  for (llvm::BasicBlock& block : kernel) {
    collect(block, loads, dominators, places);
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
