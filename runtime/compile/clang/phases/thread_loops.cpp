#include "runtime/compile/clang/phases/thread_loops.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace ws::clang_engine {

ThreadLoops::Id ThreadLoops::open(llvm::IRBuilder<>& builder, const Id& low, const Id& high) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  high_ = high;
  for (std::size_t axis = 3; axis-- > 0;) {
    Loop& loop = loops_.at(axis);
    loop.header = llvm::BasicBlock::Create(builder.getContext(), "header", function);
    loop.latch = llvm::BasicBlock::Create(builder.getContext(), "latch", function);
    before_.at(axis) = builder.GetInsertBlock();
    builder.CreateBr(loop.header);
    builder.SetInsertPoint(loop.header);
    loop.index = builder.CreatePHI(builder.getInt32Ty(), 2);
    loop.index->addIncoming(low.at(axis), before_.at(axis));
  }
  return {loops_[0].index, loops_[1].index, loops_[2].index};
}

llvm::Value* ThreadLoops::fold(llvm::IRBuilder<>& builder, llvm::Instruction::BinaryOps operation,
                               llvm::Value* value) {
  llvm::Value* so_far = operation == llvm::Instruction::And
                            ? llvm::Constant::getAllOnesValue(value->getType())
                            : llvm::Constant::getNullValue(value->getType());
  std::array<llvm::PHINode*, 3> sums{};
  for (std::size_t axis = 3; axis-- > 0;) {
    llvm::BasicBlock* header = loops_.at(axis).header;
    sums.at(axis) = llvm::PHINode::Create(value->getType(), 2, "", header->begin());
    sums.at(axis)->addIncoming(so_far, before_.at(axis));
    so_far = sums.at(axis);
  }
  llvm::Value* sum = builder.CreateBinOp(operation, so_far, value);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sums.at(axis)->addIncoming(sum, loops_.at(axis).latch);
  }
  return sum;
}

void ThreadLoops::close(llvm::IRBuilder<>& builder, llvm::MDNode* group, Unroll unroll) {
  llvm::LLVMContext& context = builder.getContext();
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock* exit = llvm::BasicBlock::Create(context, "exit", function);
  builder.CreateBr(loops_[0].latch);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Loop& loop = loops_.at(axis);
    builder.SetInsertPoint(loop.latch);
    llvm::Value* next = builder.CreateNUWAdd(loop.index, builder.getInt32(1));
    loop.index->addIncoming(next, loop.latch);
    llvm::Value* more = builder.CreateICmpULT(next, high_.at(axis));
    llvm::Instruction* branch =
        builder.CreateCondBr(more, loop.header, axis == 2 ? exit : loops_.at(axis + 1).latch);
    if (axis == 0) {
      llvm::MDNode* parallel = llvm::MDNode::get(
          context, {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), group});
      std::vector<llvm::Metadata*> properties = {nullptr, parallel};
      if (unroll == Unroll::kNever) {
        properties.push_back(
            llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable")));
      }
      llvm::MDNode* own = llvm::MDNode::getDistinct(context, properties);
      own->replaceOperandWith(0, own);
      branch->setMetadata(llvm::LLVMContext::MD_loop, own);
    }
  }
  builder.SetInsertPoint(exit);
}

void put_in_access_group(llvm::Function& function, llvm::MDNode* group) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.mayReadOrWriteMemory()) {
      instruction.setMetadata(llvm::LLVMContext::MD_access_group, group);
    }
  }
}

void inline_with_lines(llvm::CallInst& call, const llvm::Function& callee) {
  llvm::Function& caller = *call.getFunction();
  if (llvm::DISubprogram* program = callee.getSubprogram()) {
    if (caller.getSubprogram() == nullptr) {
      // A subprogram belongs to one function only.
      caller.setSubprogram(
          llvm::cast<llvm::DISubprogram>(llvm::MDNode::replaceWithDistinct(program->clone())));
    }
    call.setDebugLoc(
        llvm::DILocation::get(caller.getContext(), program->getLine(), 0, caller.getSubprogram()));
  }
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(call, info);
}

}  // namespace ws::clang_engine
