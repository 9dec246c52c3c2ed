#include "runtime/compile/clang/phases/warp_starts.h"

#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace ws::clang_engine {
namespace {

constexpr unsigned kX = 1;  ///< The parameter of a thread function.
// A dot: no function of a source can have such a name.
constexpr const char* kWarpStart = "ws.warp_start";

llvm::Function* warp_start(llvm::Module& module) {
  llvm::Type* id = llvm::Type::getInt32Ty(module.getContext());
  auto* function =
      llvm::cast<llvm::Function>(module.getOrInsertFunction(kWarpStart, id, id).getCallee());
  function->setMemoryEffects(llvm::MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  return function;
}

bool is_multiple(const llvm::ConstantInt& number) {
  return number.getValue().urem(kWarpLanes) == 0;
}

/// True where the lane of `x`, an operand of `user`, makes no difference to what that computes.
bool is_same_for_warp(const llvm::Instruction& user, const llvm::Value& x) {
  const auto* number =
      user.getNumOperands() < 2 ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(user.getOperand(1));
  if (number == nullptr || user.getOperand(0) != &x) {
    return false;
  }
  constexpr unsigned kShift = 5;
  switch (user.getOpcode()) {
    case llvm::Instruction::LShr:
      return number->getValue().uge(kShift);
    case llvm::Instruction::UDiv:
    case llvm::Instruction::And:
      return !number->isZero() && is_multiple(*number);
    case llvm::Instruction::ICmp:
      switch (llvm::cast<llvm::ICmpInst>(user).getPredicate()) {
        case llvm::CmpInst::ICMP_ULT:
        case llvm::CmpInst::ICMP_UGE:
          return is_multiple(*number);
        case llvm::CmpInst::ICMP_UGT:
        case llvm::CmpInst::ICMP_ULE:
          return number->getValue().urem(kWarpLanes) == kWarpLanes - 1;
        default:
          return false;
      }
    default:
      return false;
  }
}

}  // namespace

bool insert_warp_starts(llvm::Function& function) {
  llvm::Argument* const x = function.getArg(kX);
  std::vector<llvm::Instruction*> users;
  for (llvm::User* user : x->users()) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction != nullptr && is_same_for_warp(*instruction, *x)) {
      users.push_back(instruction);
    }
  }
  if (users.empty()) {
    return false;
  }
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Value* start = builder.CreateCall(warp_start(*function.getParent()), {x});
  for (llvm::Instruction* user : users) {
    user->setOperand(0, start);
  }
  return true;
}

bool is_warp_start(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kWarpStart;
}

void replace_warp_starts(
    llvm::Function& entry,
    llvm::function_ref<llvm::Value*(llvm::IRBuilder<>& builder, llvm::Value* x)> start) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(entry))) {
    if (is_warp_start(instruction)) {
      llvm::IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(start(builder, instruction.getOperand(0)));
      instruction.eraseFromParent();
    }
  }
}

}  // namespace ws::clang_engine
