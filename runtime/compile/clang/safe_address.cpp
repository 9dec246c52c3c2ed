#include "runtime/compile/clang/safe_address.h"

#include <algorithm>
#include <bit>

#include <llvm/IR/Constants.h>

#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// So that an access which starts there still ends within the guard, and that what is left of an
/// address in the region lies in the window.
constexpr std::uint64_t kMostNear = cpu_abi::kRegionGuard - cpu_abi::kRegionBytes;
static_assert(cpu_abi::kRegionBytes + kMostNear <= cpu_abi::kWindowBytes / 2);
/// An address of the processor has a register times up to 8.
constexpr std::int64_t kMostScale = 8;
/// Larger multiples of a value are multiplied, smaller ones are sums that others may share.
constexpr std::int64_t kMostSummed = 64;

/// A variable of the image, or memory that the worker gave.
bool lies_in_region(const llvm::Value& base) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&base);
  return variable != nullptr && !variable->isDeclaration() && !variable->isThreadLocal() &&
         variable->getAddressSpace() == 0;
}

}  // namespace

llvm::Value* SafeAddresses::near_region(llvm::Value* address) {
  AddressForm form = form_of(address, kMostNear, evolution_);
  llvm::Value* result = anchor(form);
  in_order(form.near);
  for (const AddressTerm& term : form.near) {
    result = moved(result, term);
  }
  return form.offset == 0 ? result : moved(result, {nullptr, nullptr, form.offset});
}

/// The root and the far terms, in the window.
llvm::Value* SafeAddresses::anchor(const AddressForm& form) {
  if (form.far.empty()) {
    return in_window(form.root);
  }
  std::vector<Term> key;
  for (const AddressTerm& term : form.far) {
    key.emplace_back(term.value, term.times, term.factor);
  }
  std::sort(key.begin(), key.end());  // Only to find it again: addresses differ from run to run.
  llvm::Value*& known = anchors_[{form.root, std::move(key)}];
  if (known == nullptr) {
    std::vector<AddressTerm> far = form.far;
    in_order(far);
    llvm::Value* sum = form.root;
    for (const AddressTerm& term : far) {
      sum = moved_at_once(sum, term);
    }
    known = in_window(sum);
  }
  return known;
}

llvm::Value* SafeAddresses::moved(llvm::Value* base, const AddressTerm& term) {
  if (term.value != nullptr && term.factor > 1 && term.factor <= kMostSummed) {
    const auto most = static_cast<std::int64_t>(std::bit_floor(std::uint64_t(term.factor)));
    if (most != term.factor) {
      return moved(moved(base, {term.value, nullptr, most}),
                   {term.value, nullptr, term.factor - most});
    }
  }
  llvm::Value*& known = moved_[{base, {term.value, nullptr, term.factor}}];
  known = known == nullptr ? moved_at_once(base, term) : known;
  return known;
}

/// base + the term, where both are known first.
llvm::Value* SafeAddresses::moved_at_once(llvm::Value* base, const AddressTerm& term) {
  llvm::IRBuilder<> builder = behind({base, term.value, term.times});
  if (term.value == nullptr) {
    return builder.CreateGEP(builder.getInt8Ty(), base,
                             builder.getInt64(static_cast<std::uint64_t>(term.factor)));
  }
  llvm::Value* index =
      term.times == nullptr ? term.value : builder.CreateMul(term.value, term.times);
  if (term.factor > 0) {
    const auto bytes = static_cast<std::uint64_t>(term.factor);
    return builder.CreateGEP(llvm::ArrayType::get(builder.getInt8Ty(), bytes), base, index);
  }
  llvm::Type* wide = index->getType()->getWithNewType(builder.getInt64Ty());
  llvm::Value* factor = llvm::ConstantInt::get(wide, static_cast<std::uint64_t>(term.factor));
  return builder.CreateGEP(builder.getInt8Ty(), base,
                           builder.CreateMul(builder.CreateSExtOrTrunc(index, wide), factor));
}

llvm::Value* SafeAddresses::in_window(llvm::Value* pointer) {
  if (lies_in_region(*pointer)) {
    return pointer;
  }
  if (const auto known = confined_.find(pointer); known != confined_.end()) {
    return known->second;
  }
  llvm::IRBuilder<> builder = behind({pointer});
  llvm::Type* type = pointer->getType()->getWithNewType(builder.getInt64Ty());
  llvm::Value* offset =
      builder.CreateAnd(builder.CreateFreeze(builder.CreatePtrToInt(pointer, type)),
                        llvm::ConstantInt::get(type, cpu_abi::kWindowBytes - 1));
  // One bit, which no offset has: the processor sets it with no constant in a register.
  llvm::Value* place = builder.CreateOr(offset, llvm::ConstantInt::get(type, cpu_abi::kWindowBase));
  llvm::Value* result =
      builder.CreateIntToPtr(place, pointer->getType()->getWithNewType(builder.getPtrTy()));
  confined_[pointer] = result;
  return result;
}

/// Those that are known first go first: their sum is the same for more addresses, and for more
/// rounds of a loop.
void SafeAddresses::in_order(std::vector<AddressTerm>& terms) const {
  std::stable_sort(terms.begin(), terms.end(), [&](const AddressTerm& a, const AddressTerm& b) {
    return comes_before(a.value, b.value);
  });
}

/// False where both do not depend on the code's order, or are one.
bool SafeAddresses::comes_before(const llvm::Value* first, const llvm::Value* second) const {
  const auto* a = llvm::dyn_cast<llvm::Instruction>(first);
  const auto* b = llvm::dyn_cast<llvm::Instruction>(second);
  return b != nullptr && a != b && (a == nullptr || dominators_.dominates(a, b));
}

/// The first place where all of `values` are known; null ones always are.
llvm::IRBuilder<> SafeAddresses::behind(std::initializer_list<llvm::Value*> values) const {
  llvm::Instruction* last = nullptr;
  for (llvm::Value* value : values) {
    auto* made = llvm::dyn_cast_or_null<llvm::Instruction>(value);
    last = made != nullptr && (last == nullptr || comes_before(last, made)) ? made : last;
  }
  if (last == nullptr) {
    return llvm::IRBuilder<>(&*function_.getEntryBlock().getFirstInsertionPt());
  }
  llvm::BasicBlock* block = last->getParent();
  return {block, llvm::isa<llvm::PHINode>(last) ? block->getFirstInsertionPt()
                                                : std::next(last->getIterator())};
}

}  // namespace ws::clang_engine
