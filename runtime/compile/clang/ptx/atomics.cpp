// Updates of memory that no other thread comes between.
#include <llvm/ADT/STLFunctionalExtras.h>

#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/memory.h"
#include "runtime/compile/clang/ptx/number.h"

namespace ws::clang_engine::ptx {
namespace {

using Update = llvm::AtomicRMWInst::BinOp;

struct UpdateRow {
  Modifier modifier;
  Update of_unsigned;
  Update of_signed;
};

constexpr UpdateRow kUpdateRows[] = {
    {Modifier::kAdd, Update::Add, Update::Add},
    {Modifier::kMin, Update::UMin, Update::Min},
    {Modifier::kMax, Update::UMax, Update::Max},
    {Modifier::kInc, Update::UIncWrap, Update::UIncWrap},
    {Modifier::kDec, Update::UDecWrap, Update::UDecWrap},
    {Modifier::kExch, Update::Xchg, Update::Xchg},
    {Modifier::kAnd, Update::And, Update::And},
    {Modifier::kOr, Update::Or, Update::Or},
    {Modifier::kXor, Update::Xor, Update::Xor},
};

llvm::AtomicOrdering order_of_failure(llvm::AtomicOrdering order) {
  return llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order);
}

llvm::Value* swapped(Step& step, llvm::Value* address, llvm::Value* expected, llvm::Value* value) {
  const llvm::AtomicOrdering order = order_of(step);
  const llvm::Align alignment(bits_of(step.type()) / 8);
  return step.b.CreateExtractValue(step.b.CreateAtomicCmpXchg(address, expected, value, alignment,
                                                              order, order_of_failure(order)),
                                   0);
}

/// Tries until the word is still what the new one was computed from. The old word.
llvm::Value* updated_in_turn(Step& step, llvm::Value* address,
                             llvm::function_ref<llvm::Value*(llvm::Value*)> next) {
  llvm::IRBuilder<>& b = step.b;
  const llvm::DebugLoc place = b.getCurrentDebugLocation();
  llvm::Type* word = b.getIntNTy(bits_of(step.type()));
  llvm::LoadInst* first = b.CreateAlignedLoad(word, address, llvm::Align(bits_of(step.type()) / 8));
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::Instruction* behind = &*b.GetInsertPoint();
  llvm::BasicBlock* before = behind->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(behind);
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "", before->getParent(), after);
  before->getTerminator()->setSuccessor(0, loop);
  b.SetInsertPoint(loop);
  b.SetCurrentDebugLocation(place);
  llvm::PHINode* old = b.CreatePHI(word, 2);
  llvm::Value* seen = swapped(step, address, old, next(old));
  old->addIncoming(first, before);
  old->addIncoming(seen, loop);
  b.CreateCondBr(b.CreateICmpEQ(seen, old), after, loop);
  b.SetInsertPoint(behind);
  b.SetCurrentDebugLocation(place);
  return seen;
}

/// The sum of two words that hold one half, or two.
llvm::Value* sum_of_halves(Step& step, llvm::Value* a, llvm::Value* c) {
  llvm::IRBuilder<>& b = step.b;
  const Type type = is_pair(step.type()) ? half_of(step.type()) : step.type();
  llvm::Type* word = a->getType();
  llvm::Value* both = llvm::ConstantInt::get(word, 0);
  for (unsigned shift = 0; shift < bits_of(step.type()); shift += 16) {
    const auto half = [&](llvm::Value* value) {
      llvm::Value* bits = b.CreateTrunc(b.CreateLShr(value, shift), b.getInt16Ty());
      bits = b.CreateBitCast(bits, llvm_type(type, b.getContext()));
      return widen(b, bits, type, Type::kF32);
    };
    llvm::Value* sum =
        narrow(b, b.CreateFAdd(half(a), half(c)), Type::kF32, type, Rounding::kNearest);
    llvm::Value* bits = b.CreateZExt(b.CreateBitCast(sum, b.getInt16Ty()), word);
    both = b.CreateOr(both, b.CreateShl(bits, shift));
  }
  return both;
}

/// The word before the update; null: it is none that the type has.
/// @param first  The operand that holds the address; what is added, say, follows.
llvm::Value* updated(Step& step, std::size_t first) {
  llvm::Value* address = step.machine.pointer(step.operand(first), space_of(step));
  llvm::Value* value = step.in(first + 1);
  const Type type = step.type();
  const llvm::Align alignment(bits_of(type) / 8);
  const bool fraction = is_float(type) || is_pair(type);
  if (fraction && !step.has(Modifier::kAdd)) {
    step.machine.complain("of `" + name_of(type) + "`, only `.add` is supported on the CPU engine");
    return nullptr;
  }
  if (step.has(Modifier::kCas)) {
    if (step.operands() < first + 3) {
      step.machine.complain("expected an address and two values");
      return nullptr;
    }
    return swapped(step, address, value, step.in(first + 2));
  }
  if (type == Type::kF32 || type == Type::kF64) {
    return step.b.CreateAtomicRMW(Update::FAdd, address, value, alignment, order_of(step));
  }
  if (fraction) {
    llvm::Value* bits = step.b.CreateBitCast(value, step.b.getIntNTy(bits_of(type)));
    return updated_in_turn(step, address,
                           [&](llvm::Value* old) { return sum_of_halves(step, old, bits); });
  }
  for (const UpdateRow& row : kUpdateRows) {
    if (step.has(row.modifier)) {
      return step.b.CreateAtomicRMW(is_signed(type) ? row.of_signed : row.of_unsigned, address,
                                    value, alignment, order_of(step));
    }
  }
  step.machine.complain("expected an operation, as in `.add`");
  return nullptr;
}

}  // namespace

void emit_atom(Step& step) {
  if (llvm::Value* old = updated(step, 1)) {
    step.out(old);
  }
}

void emit_red(Step& step) {
  updated(step, 0);
}

}  // namespace ws::clang_engine::ptx
