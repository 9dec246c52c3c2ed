#include "runtime/compile/clang/empty_masks.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace ws::clang_engine {
namespace {

constexpr unsigned kGatherMask = 2;
constexpr unsigned kGatherOtherwise = 3;  ///< The values for lanes that are not in the mask.
constexpr unsigned kScatterMask = 3;

bool is_gather(const llvm::IntrinsicInst& access) {
  return access.getIntrinsicID() == llvm::Intrinsic::masked_gather;
}

llvm::Value* mask_of(const llvm::IntrinsicInst& access) {
  return access.getArgOperand(is_gather(access) ? kGatherMask : kScatterMask);
}

void skip_if_empty(llvm::IntrinsicInst& access) {
  llvm::IRBuilder<> builder(&access);
  llvm::BasicBlock* before = access.getParent();
  llvm::Value* any = builder.CreateOrReduce(mask_of(access));
  llvm::Instruction* inside =
      llvm::SplitBlockAndInsertIfThen(any, access.getIterator(), /*Unreachable=*/false);
  llvm::BasicBlock* behind = access.getParent();
  access.moveBefore(inside);
  if (is_gather(access)) {
    llvm::PHINode* result = llvm::PHINode::Create(access.getType(), 2, "", behind->begin());
    access.replaceAllUsesWith(result);
    result->addIncoming(&access, inside->getParent());
    result->addIncoming(access.getArgOperand(kGatherOtherwise), before);
  }
}

}  // namespace

llvm::PreservedAnalyses SkipEmptyMasks::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& /*analyses*/) {
  std::vector<llvm::IntrinsicInst*> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    const bool masked =
        access != nullptr &&
        (is_gather(*access) || access->getIntrinsicID() == llvm::Intrinsic::masked_scatter);
    if (masked && !llvm::isa<llvm::Constant>(mask_of(*access))) {
      accesses.push_back(access);
    }
  }
  for (llvm::IntrinsicInst* access : accesses) {
    skip_if_empty(*access);
  }
  return accesses.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace ws::clang_engine
