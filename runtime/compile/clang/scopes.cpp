#include "runtime/compile/clang/scopes.h"

#include <set>
#include <vector>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

namespace ws::clang_engine {
namespace {

constexpr const char* kMark = "ws.block_scope";

const llvm::CallInst* call_of(const llvm::Instruction& instruction, const llvm::Function& callee) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() == &callee ? call : nullptr;
}

bool begins(const llvm::CallInst& call) {
  const auto* argument = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  return argument != nullptr && !argument->isZero();
}

bool touches_memory(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst,
                   llvm::FenceInst>(instruction);
}

/// Marks what can be reached from `begin` without passing an end.
void mark_from(llvm::CallInst& begin, const llvm::Function& callee) {
  llvm::MDNode* mark = llvm::MDNode::get(begin.getContext(), {});
  std::set<const llvm::BasicBlock*> seen;
  std::vector<llvm::Instruction*> starts = {begin.getNextNode()};
  while (!starts.empty()) {
    llvm::Instruction* at = starts.back();
    starts.pop_back();
    llvm::BasicBlock* block = at->getParent();
    bool ends = false;
    for (; at != nullptr && !ends; at = at->getNextNode()) {
      const llvm::CallInst* call = call_of(*at, callee);
      ends = call != nullptr && !begins(*call);
      if (touches_memory(*at)) {
        at->setMetadata(kMark, mark);
      }
    }
    for (llvm::BasicBlock* next : llvm::successors(block)) {
      if (!ends && seen.insert(next).second) {
        starts.push_back(&next->front());
      }
    }
  }
}

}  // namespace

void mark_block_scopes(llvm::Module& module) {
  llvm::Function* callee = module.getFunction(kBlockScope);
  if (callee == nullptr || callee->arg_size() != 1) {
    return;
  }
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : callee->users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call != nullptr && call->getCalledFunction() == callee) {
      calls.push_back(call);
    }
  }
  for (llvm::CallInst* call : calls) {
    if (begins(*call)) {
      mark_from(*call, *callee);
    }
  }
  for (llvm::CallInst* call : calls) {
    call->eraseFromParent();
  }
}

bool has_block_scope(const llvm::Instruction& instruction) {
  return instruction.hasMetadata(kMark);
}

}  // namespace ws::clang_engine
