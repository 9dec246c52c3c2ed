#include "runtime/compile/clang/yields.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace ws::clang_engine {
namespace {

/// A lock, a flag or a ticket is an atomic whose result somebody looks at, or a volatile variable.
bool may_wait_for(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) {
    return true;
  }
  if (llvm::isa<llvm::AtomicRMWInst>(instruction)) {
    return !instruction.use_empty();
  }
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load != nullptr && !load->isSimple() &&
         !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand()));
}

bool is_shared(const llvm::Value& address) {
  return !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&address, 0));
}

using Loads = llvm::DenseMap<const llvm::Value*, std::vector<const llvm::LoadInst*>>;

/// The writes of a block that follow a read of the same word; of several after the same reads the
/// first one is enough.
void collect(llvm::BasicBlock& block, const Loads& loads, const llvm::DominatorTree& dominators,
             std::vector<llvm::Instruction*>& places) {
  bool read = true;  // Since the last place.
  for (llvm::Instruction& instruction : block) {
    read = read || llvm::isa<llvm::LoadInst>(instruction);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store == nullptr || !store->isSimple() || !read) {
      continue;
    }
    const auto same = loads.find(store->getPointerOperand()->stripPointerCasts());
    if (same != loads.end() &&
        std::any_of(same->second.begin(), same->second.end(), [&](const llvm::LoadInst* load) {
          return dominators.dominates(load, store);
        })) {
      places.push_back(&instruction);
      read = false;
    }
  }
}

bool is_yield(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kYield;
}

}  // namespace

void insert_yields(llvm::Function& kernel) {
  Loads loads;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (may_wait_for(instruction)) {
      return;
    }
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr && is_shared(*load->getPointerOperand())) {
      loads[load->getPointerOperand()->stripPointerCasts()].push_back(load);
    }
  }
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
