#include "runtime/compile/clang/ptx/flow.h"

namespace ws::clang_engine::ptx {

Flow::Flow(Machine& machine, llvm::CallInst& call, const Program& program)
    : machine_(machine),
      call_(call),
      program_(program) {
  if (!program.labels.empty()) {
    // A loop of PTX may run for ever; one of C++ that does nothing may be taken out.
    call.getFunction()->removeFnAttr(llvm::Attribute::MustProgress);
  }
}

void Flow::reach(std::size_t statement) {
  for (unsigned label = 0; label < program_.labels.size(); ++label) {
    if (program_.labels[label] == statement) {
      begin_block(machine_.registers(), /*falls_through=*/true);
      block_of_label_[label] = blocks_.size() - 1;
    }
  }
}

void Flow::jump(unsigned label, llvm::Value* condition) {
  jumps_.push_back({call_.getParent(), label, condition, machine_.registers()});
  begin_block(jumps_.back().registers, condition != nullptr);
}

void Flow::begin_block(const std::vector<llvm::Value*>& registers, bool falls_through) {
  llvm::BasicBlock* before = call_.getParent();
  Block made{before->splitBasicBlock(&call_), {}};
  for (llvm::Value* value : registers) {
    llvm::PHINode* phi = llvm::PHINode::Create(value->getType(), 2, "", call_.getIterator());
    phi->setDebugLoc(call_.getDebugLoc());
    if (falls_through) {
      phi->addIncoming(value, before);
    }
    made.registers.push_back(phi);
  }
  machine_.set_registers({made.registers.begin(), made.registers.end()});
  machine_.builder().SetInsertPoint(&call_);
  blocks_.push_back(std::move(made));
}

void Flow::leave(llvm::Value* condition) {
  if (!call_.getFunction()->hasExternalLinkage()) {
    return machine_.complain(
        "ending a thread in a recursive function is not supported on the CPU engine");
  }
  ends_.push_back({call_.getParent(), condition});
  begin_block(machine_.registers(), condition != nullptr);
}

void Flow::branch(llvm::BasicBlock& from, llvm::BasicBlock& target, llvm::Value* condition) {
  llvm::Instruction* plain = from.getTerminator();
  llvm::BranchInst* made = condition == nullptr
                               ? llvm::BranchInst::Create(&target, plain->getIterator())
                               : llvm::BranchInst::Create(&target, plain->getSuccessor(0),
                                                          condition, plain->getIterator());
  made->setDebugLoc(call_.getDebugLoc());
  plain->eraseFromParent();
}

void Flow::make_branch(const Jump& jump) {
  const Block& target = blocks_[block_of_label_.at(jump.label)];
  branch(*jump.from, *target.code, jump.condition);
  for (std::size_t i = 0; i < jump.registers.size(); ++i) {
    target.registers[i]->addIncoming(jump.registers[i], jump.from);
  }
}

void Flow::finish() {
  for (const Jump& jump : jumps_) {
    make_branch(jump);
  }
  for (const End& end : ends_) {
    llvm::Function& kernel = *call_.getFunction();
    auto* last = llvm::BasicBlock::Create(kernel.getContext(), "", &kernel);
    llvm::ReturnInst::Create(kernel.getContext(), last)->setDebugLoc(call_.getDebugLoc());
    branch(*end.from, *last, end.condition);
  }
  for (const Block& block : blocks_) {
    for (llvm::PHINode* phi : block.registers) {
      if (phi->getNumIncomingValues() == 0) {  // Nothing leads here.
        phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
        phi->eraseFromParent();
      }
    }
  }
}

}  // namespace ws::clang_engine::ptx
