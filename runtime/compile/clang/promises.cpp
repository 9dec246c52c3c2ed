#include "runtime/compile/clang/promises.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "runtime/compile/clang/intrinsics.h"

namespace ws::clang_engine {

void forget_promises(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic != nullptr && only_marks(intrinsic->getIntrinsicID()) &&
        !llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic)) {
      instruction.eraseFromParent();
      continue;
    }
    llvm::FastMathFlags flags;
    const bool real = llvm::isa<llvm::FPMathOperator>(instruction);
    if (real) {
      flags = instruction.getFastMathFlags();
    }
    instruction.dropPoisonGeneratingAnnotations();
    instruction.dropUBImplyingAttrsAndMetadata();
    if (real) {
      instruction.setFastMathFlags(flags);  // About numbers, not about addresses.
    }
  }
}

void settle_numbers(llvm::Function& function) {
  const auto is_number = [](const llvm::Value& value) { return value.getType()->isIntegerTy(); };
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    for (llvm::Use& operand : instruction.operands()) {
      if (is_number(*operand) && llvm::isa<llvm::UndefValue>(*operand)) {
        operand.set(llvm::Constant::getNullValue(operand->getType()));
      }
    }
    // A value from memory, or of a called function, is in a register from then on.
    const bool outside =
        llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst, llvm::PHINode>(instruction) ||
        (llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction));
    if (!is_number(instruction) || outside || instruction.use_empty() ||
        !llvm::canCreateUndefOrPoison(llvm::cast<llvm::Operator>(&instruction))) {
      continue;
    }
    llvm::IRBuilder<> builder(instruction.getNextNode());
    auto* settled = llvm::cast<llvm::Instruction>(builder.CreateFreeze(&instruction));
    instruction.replaceUsesWithIf(settled,
                                  [&](const llvm::Use& use) { return use.getUser() != settled; });
  }
}

void set_safe_attributes(llvm::Function& function) {
  for (const auto attribute :
       {llvm::Attribute::Naked, llvm::Attribute::MustProgress, llvm::Attribute::WillReturn}) {
    function.removeFnAttr(attribute);
  }
  function.removeRetAttr(llvm::Attribute::Range);
  for (const llvm::Argument& argument : function.args()) {
    function.removeParamAttr(argument.getArgNo(), llvm::Attribute::Range);
  }
  function.addFnAttr("no-jump-tables", "true");  // They are not checked where the source promises.
  function.addFnAttr("probe-stack", "inline-asm");  // No frame steps over the guard page.
}

}  // namespace ws::clang_engine
