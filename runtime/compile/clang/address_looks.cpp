#include "runtime/compile/clang/address_looks.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

namespace ws::clang_engine {
namespace {

constexpr std::uint64_t kMostAlignment = 256;

using Addresses = llvm::SmallPtrSet<const llvm::Value*, 16>;

/// Whether there is a constant of at most `most` on the right.
bool by_alignment(const llvm::User& user, std::uint64_t most) {
  const auto* by = llvm::dyn_cast<llvm::ConstantInt>(user.getOperand(1));
  return by != nullptr && by->getValue().ule(most);
}

/// Whether a user of an address is one itself, moved, rounded or cut.
bool goes_on(const llvm::User& user, const Addresses& addresses) {
  using namespace llvm::PatternMatch;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&user);
  if (instruction == nullptr) {
    return false;
  }
  switch (instruction->getOpcode()) {
    case llvm::Instruction::And:
      return match(&user, m_And(m_Value(), m_NegatedPower2()));
    case llvm::Instruction::Sub:
      return !addresses.contains(user.getOperand(0)) || !addresses.contains(user.getOperand(1));
    case llvm::Instruction::Add:
    case llvm::Instruction::PHI:
    case llvm::Instruction::Select:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
      return true;
    default:
      return false;
  }
}

/// Each value that is an address plus something, as a number; from the conversions onwards.
Addresses addresses_in(const llvm::Function& function) {
  Addresses found;
  llvm::SmallVector<const llvm::Value*> left;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::PtrToIntInst>(instruction) && found.insert(&instruction).second) {
      left.push_back(&instruction);
    }
  }
  while (!left.empty()) {
    for (const llvm::User* user : left.pop_back_val()->users()) {
      if (goes_on(*user, found) && found.insert(user).second) {
        left.push_back(user);
      }
    }
  }
  return found;
}

/// Whether a use of an address tells nothing of where the memory lies.
bool is_harmless(const llvm::User& user, const Addresses& addresses) {
  using namespace llvm::PatternMatch;
  if (addresses.contains(&user) || llvm::isa<llvm::IntToPtrInst>(user)) {
    return true;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&user);
  if (instruction == nullptr) {
    return false;
  }
  switch (instruction->getOpcode()) {
    case llvm::Instruction::And:
      return by_alignment(user, kMostAlignment - 1);
    case llvm::Instruction::URem:
      return by_alignment(user, kMostAlignment);
    case llvm::Instruction::Sub:
    case llvm::Instruction::ICmp:
      return (addresses.contains(user.getOperand(0)) && addresses.contains(user.getOperand(1))) ||
             match(user.getOperand(1), m_Zero());
    case llvm::Instruction::Call:
      return instruction->isDebugOrPseudoInst() || instruction->isLifetimeStartOrEnd();
    default:
      return false;
  }
}

/// Memory that holds an address can be read as a number.
bool keeps_address(const llvm::Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store != nullptr && store->getValueOperand()->getType()->isPointerTy() &&
         !llvm::isa<llvm::Constant>(store->getValueOperand());
}

/// Compares an address with a number that is none.
bool compares_with_number(const llvm::Instruction& instruction, const Addresses& addresses) {
  if (!llvm::isa<llvm::ICmpInst>(instruction) ||
      !instruction.getOperand(0)->getType()->isPointerTy()) {
    return false;
  }
  return llvm::any_of(instruction.operands(), [&](const llvm::Use& use) {
    const auto* number =
        llvm::dyn_cast<llvm::Operator>(llvm::getUnderlyingObject(use.get(), /*MaxLookup=*/0));
    return number != nullptr && number->getOpcode() == llvm::Instruction::IntToPtr &&
           !addresses.contains(number->getOperand(0));
  });
}

}  // namespace

bool looks_at_addresses(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    const Addresses addresses = addresses_in(function);
    for (const llvm::Value* address : addresses) {
      if (!llvm::all_of(address->users(),
                        [&](const llvm::User* user) { return is_harmless(*user, addresses); })) {
        return true;
      }
    }
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (keeps_address(instruction) || compares_with_number(instruction, addresses)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace ws::clang_engine
