#include "runtime/compile/clang/waits.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace ws::clang_engine {
namespace {

/// The loops of a function, and what is known of their counts.
struct LoopFacts {
  explicit LoopFacts(llvm::Function& function)
      : dominators(function),
        loops(dominators),
        names(llvm::Triple(function.getParent()->getTargetTriple())),
        library(names),
        assumptions(function),
        evolution(function, library, assumptions, dominators, loops) {}

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::TargetLibraryInfoImpl names;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::ScalarEvolution evolution;
};

bool is_own(const llvm::Value& address) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&address, 0));
}

bool has_fence(const llvm::Loop& loop) {
  return std::any_of(loop.block_begin(), loop.block_end(), [](const llvm::BasicBlock* block) {
    return std::any_of(block->begin(), block->end(), [](const llvm::Instruction& instruction) {
      return llvm::isa<llvm::FenceInst>(instruction);
    });
  });
}

/// Some way out is taken after a number of turns that is known when the loop begins.
bool is_counted(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  return std::any_of(exiting.begin(), exiting.end(), [&](const llvm::BasicBlock* block) {
    return !llvm::isa<llvm::SCEVCouldNotCompute>(evolution.getExitCount(&loop, block));
  });
}

/// Adding makes another word each time, and so does a swap of what was just read: those loops end
/// whatever the others do.
bool asks_the_same(const llvm::Instruction& instruction, const llvm::Loop& loop) {
  if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return loop.isLoopInvariant(swap->getCompareOperand());
  }
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    const auto operation = update->getOperation();
    const auto* value = llvm::dyn_cast<llvm::Constant>(update->getValOperand());
    const bool adds =
        operation == llvm::AtomicRMWInst::Add || operation == llvm::AtomicRMWInst::Sub ||
        operation == llvm::AtomicRMWInst::FAdd || operation == llvm::AtomicRMWInst::FSub;
    const bool changes = adds && (value == nullptr || !value->isZeroValue());
    return !update->use_empty() && !changes && loop.isLoopInvariant(update->getValOperand());
  }
  return false;
}

bool is_look(llvm::Instruction& instruction, const llvm::Loop& loop,
             llvm::ScalarEvolution& evolution) {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (load != nullptr && is_own(*load->getPointerOperand())) {
    return false;
  }
  if (load != nullptr && !load->isSimple()) {
    return true;
  }
  const bool plain = load != nullptr && has_fence(loop) &&
                     evolution.isLoopInvariant(evolution.getSCEV(load->getPointerOperand()), &loop);
  return (plain || asks_the_same(instruction, loop)) && !is_counted(loop, evolution);
}

/// The loops around a look that wait for it: the outer ones go round, too, where the inner one is
/// left at its first turn.
void mark_loops(llvm::Function& function, llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
                std::vector<llvm::Loop*>& waiting) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      if (!instruction.mayReadFromMemory()) {
        continue;
      }
      for (llvm::Loop* loop = loops.getLoopFor(&block); loop != nullptr;
           loop = loop->getParentLoop()) {
        const bool known = std::find(waiting.begin(), waiting.end(), loop) != waiting.end();
        if (!known && is_look(instruction, *loop, evolution)) {
          waiting.push_back(loop);
        }
      }
    }
  }
}

/// A branch inside the loop follows from the value.
bool decides_in(const llvm::Loop& loop, const llvm::Instruction& value) {
  std::vector<const llvm::Instruction*> open = {&value};
  std::set<const llvm::Instruction*> seen = {&value};
  while (!open.empty()) {
    const llvm::Instruction* const next = open.back();
    open.pop_back();
    for (const llvm::User* user : next->users()) {
      const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction == nullptr || !loop.contains(instruction)) {
        continue;
      }
      if (llvm::isa<llvm::BranchInst, llvm::SwitchInst>(instruction)) {
        return true;
      }
      if (seen.insert(instruction).second) {
        open.push_back(instruction);
      }
    }
  }
  return false;
}

}  // namespace

std::set<const llvm::LoadInst*> awaited_loads(llvm::Function& function) {
  std::set<const llvm::LoadInst*> awaited;
  LoopFacts facts(function);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || load->isSimple()) {
      continue;
    }
    for (const llvm::Loop* loop = facts.loops.getLoopFor(load->getParent()); loop != nullptr;
         loop = loop->getParentLoop()) {
      if (!is_counted(*loop, facts.evolution) && decides_in(*loop, *load)) {
        awaited.insert(load);
      }
    }
  }
  return awaited;
}

void insert_waits(llvm::Function& function) {
  LoopFacts facts(function);
  if (facts.loops.empty()) {
    return;
  }
  std::vector<llvm::Loop*> waiting;
  mark_loops(function, facts.loops, facts.evolution, waiting);
  std::vector<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>> ways_back;
  for (const llvm::Loop* loop : waiting) {
    llvm::SmallVector<llvm::BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    for (llvm::BasicBlock* latch : latches) {
      ways_back.emplace_back(latch, loop->getHeader());
    }
  }
  llvm::Module& module = *function.getParent();
  for (const auto& [latch, header] : ways_back) {
    llvm::Instruction* last = latch->getTerminator();
    // A branch with two ways is left alone where it leaves the loop: who has found what he waited
    // for does not look again.
    const bool splits = last->getNumSuccessors() > 1 && llvm::isa<llvm::BranchInst>(last);
    llvm::BasicBlock* place = splits ? llvm::SplitEdge(latch, header) : latch;
    llvm::IRBuilder<> builder(place->getTerminator());
    builder.SetCurrentDebugLocation(last->getDebugLoc());
    llvm::CallInst* call = builder.CreateCall(module.getOrInsertFunction(
        kLookAgain, llvm::FunctionType::get(builder.getVoidTy(), false)));
    call->setDoesNotThrow();
    call->setConvergent();
  }
}

}  // namespace ws::clang_engine
