#include "runtime/compile/clang/address_looks.h"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/shared_memory.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

using namespace llvm::PatternMatch;

/// Nothing lies on other multiples than those of this in another launch.
constexpr std::uint64_t kAlignment = 64;

/// The memory that an address leads to, and what was done to it so that the rest of it depends on
/// the place.
struct Origin {
  const llvm::Value* object = nullptr;  ///< Null: of several.
  bool shared = false;                  ///< Shared memory, which counts as one object.
  bool cut = false;                     ///< Its high bits are gone,
  bool rounded = false;                 ///< or the low ones, or the sign is another.

  [[nodiscard]] bool whole() const { return !cut && !rounded; }

  /// Their difference says nothing of the place, even if both are cut.
  [[nodiscard]] bool comparable(const Origin& other) const {
    const bool one = (shared && other.shared) || (object != nullptr && object == other.object);
    return one && !rounded && !other.rounded;
  }
};

bool is_shared(const llvm::Value& object) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object)) {
    return variable->getAddressSpace() == kSharedAddressSpace;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&object);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  const auto value = callee == nullptr ? std::nullopt : launch_value_of(*callee);
  return value && value->of == LaunchValue::Of::kBlock && value->at == cpu_abi::kSharedOffset;
}

/// The addresses of a function that are numbers.
class Numbers {
 public:
  explicit Numbers(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (const auto* number = llvm::dyn_cast<llvm::PtrToIntInst>(&instruction)) {
        take(number, origin_of(number->getPointerOperand()));
      }
    }
    while (!left_.empty()) {
      const llvm::Value* number = left_.pop_back_val();
      for (const llvm::User* user : number->users()) {
        follow(*user, origins_.lookup(number));
      }
    }
  }

  /// Nothing: it is none.
  [[nodiscard]] std::optional<Origin> find(const llvm::Value* value) const {
    const auto at = origins_.find(value);
    return at == origins_.end() ? std::nullopt : std::optional(at->second);
  }

  [[nodiscard]] Origin origin_of(const llvm::Value* pointer) const {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    if (objects.size() != 1) {
      return {};
    }
    const auto* number = llvm::dyn_cast<llvm::Operator>(objects.front());
    if (number == nullptr || number->getOpcode() != llvm::Instruction::IntToPtr) {
      return {.object = objects.front(), .shared = is_shared(*objects.front())};
    }
    return find(number->getOperand(0)).value_or(Origin{.rounded = true});
  }

  [[nodiscard]] auto begin() const { return origins_.begin(); }

  [[nodiscard]] auto end() const { return origins_.end(); }

 private:
  void take(const llvm::Value* value, Origin origin) {
    const auto [at, added] = origins_.try_emplace(value, origin);
    Origin merged = at->second;
    merged.object = merged.object == origin.object ? merged.object : nullptr;
    merged.shared = merged.shared && origin.shared;
    merged.cut = merged.cut || origin.cut;
    merged.rounded = merged.rounded || origin.rounded;
    const Origin& before = at->second;
    if (added || merged.object != before.object || merged.shared != before.shared ||
        merged.cut != before.cut || merged.rounded != before.rounded) {
      at->second = merged;
      left_.push_back(value);
    }
  }

  /// Takes a user that is an address, too: moved, rounded or cut.
  void follow(const llvm::User& user, Origin origin) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&user);
    if (instruction == nullptr) {
      return;
    }
    const llvm::APInt* mask = nullptr;
    switch (instruction->getOpcode()) {
      case llvm::Instruction::And:
        if (!match(&user, m_And(m_Value(), m_APInt(mask))) || !mask->isNegatedPowerOf2()) {
          return;
        }
        origin.rounded = origin.rounded || (-*mask).ugt(kAlignment);
        break;
      case llvm::Instruction::Sub:
        if (find(user.getOperand(0)) && find(user.getOperand(1))) {
          return;
        }
        origin.rounded = origin.rounded || !find(user.getOperand(0));
        break;
      case llvm::Instruction::Trunc:
        origin.cut = true;
        break;
      case llvm::Instruction::Or:  // The alignment of several is asked for at once.
        origin.rounded = true;
        break;
      case llvm::Instruction::Add:
      case llvm::Instruction::PHI:
      case llvm::Instruction::Select:
      case llvm::Instruction::Freeze:
      case llvm::Instruction::ZExt:
        break;
      default:
        return;
    }
    take(&user, origin);
  }

  llvm::DenseMap<const llvm::Value*, Origin> origins_;
  llvm::SmallVector<const llvm::Value*> left_;
};

/// Whether a use of an address tells nothing of where the memory lies.
bool is_harmless(const llvm::User& user, const Numbers& numbers) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&user);
  if (numbers.find(&user) || llvm::isa<llvm::IntToPtrInst>(user)) {
    return true;
  }
  if (instruction == nullptr) {
    return false;
  }
  const llvm::APInt* by = nullptr;
  if (match(&user, m_And(m_Value(), m_APInt(by)))) {
    return by->ult(kAlignment);
  }
  if (match(&user, m_URem(m_Value(), m_APInt(by)))) {
    return by->ule(kAlignment);
  }
  const auto* const comparison = llvm::dyn_cast<llvm::ICmpInst>(&user);
  if (comparison != nullptr || instruction->getOpcode() == llvm::Instruction::Sub) {
    const auto left = numbers.find(user.getOperand(0));
    const auto right = numbers.find(user.getOperand(1));
    if (left && right) {
      const bool by_order = comparison != nullptr && !comparison->isEquality();
      return left->comparable(*right) && (!by_order || (left->whole() && right->whole()));
    }
    return left && left->whole() && match(user.getOperand(1), m_Zero());
  }
  return instruction->isDebugOrPseudoInst() || instruction->isLifetimeStartOrEnd();
}

/// Whether a comparison of pointers tells nothing either: within one object, with no object, or
/// whether two are the same.
bool is_harmless(const llvm::ICmpInst& comparison, const Numbers& numbers) {
  const llvm::Value* const left = comparison.getOperand(0);
  const llvm::Value* const right = comparison.getOperand(1);
  const Origin one = numbers.origin_of(left);
  const Origin other = numbers.origin_of(right);
  if (llvm::isa<llvm::ConstantPointerNull>(right)) {
    return one.whole();
  }
  return (one.comparable(other) && one.whole() && other.whole()) ||
         (comparison.isEquality() && one.object == left && other.object == right);
}

/// Memory that holds an address can be read as a number.
bool keeps_address(const llvm::Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store != nullptr && store->getValueOperand()->getType()->isPointerTy() &&
         !llvm::isa<llvm::Constant>(store->getValueOperand());
}

bool rounds_pointer(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::ptrmask) {
    return false;
  }
  const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
  return mask == nullptr || (-mask->getValue()).ugt(kAlignment);
}

bool looks(const llvm::Instruction& instruction, const Numbers& numbers) {
  const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
  const bool of_pointers =
      comparison != nullptr && comparison->getOperand(0)->getType()->isPointerTy();
  return keeps_address(instruction) || rounds_pointer(instruction) ||
         (of_pointers && !is_harmless(*comparison, numbers));
}

}  // namespace

bool looks_at_addresses(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    const Numbers numbers(function);
    for (const auto& [number, origin] : numbers) {
      if (!llvm::all_of(number->users(),
                        [&](const llvm::User* user) { return is_harmless(*user, numbers); })) {
        return true;
      }
    }
    if (llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
          return looks(instruction, numbers);
        })) {
      return true;
    }
  }
  return false;
}

}  // namespace ws::clang_engine
