// Ranges of what loops count, of what meets where ways join, and of what threads carry over stops.
#include <algorithm>

#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "runtime/compile/clang/phases/ranges.h"
#include "runtime/compile/clang/phases/records.h"

namespace ws::clang_engine {

Ranges::Found Ranges::of_phi(const llvm::PHINode& phi) {
  const llvm::BasicBlock* block = phi.getParent();
  if (const llvm::Loop* loop = loops_.getLoopFor(block);
      loop != nullptr && loop->getHeader() == block) {
    return of_loop(phi, *loop);
  }
  Found range;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const Found one = of(*phi.getIncomingValue(i), *phi.getIncomingBlock(i));
    if (!one) {
      return std::nullopt;
    }
    range = range ? both(*range, *one) : *one;
  }
  return range;
}

/// A counter that goes up, in a loop that goes on while it is below a bound.
Ranges::Found Ranges::of_loop(const llvm::PHINode& phi, const llvm::Loop& loop) {
  using llvm::PatternMatch::m_c_Add;
  using llvm::PatternMatch::m_Specific;
  using llvm::PatternMatch::m_Value;
  const llvm::BasicBlock* before = loop.getLoopPredecessor();
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (before == nullptr || latch == nullptr) {
    return std::nullopt;
  }
  llvm::Value* next = phi.getIncomingValueForBlock(latch);
  llvm::Value* step = nullptr;
  if (!match(next, m_c_Add(m_Specific(&phi), m_Value(step))) || !loop.isLoopInvariant(step)) {
    return std::nullopt;
  }
  const Found start = of(*phi.getIncomingValueForBlock(before), *before);
  const Found by = of(*step, *before);
  if (!start || !by) {
    return std::nullopt;
  }
  std::vector<Condition> rounds = conditions(*latch);
  if (const auto* end = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
      end != nullptr && end->isConditional()) {
    add_conditions(*end->getCondition(), end->getSuccessor(0) == loop.getHeader(), rounds);
  }
  for (const Condition& round : rounds) {
    const llvm::Value* counter = round.compare->getOperand(0);
    const llvm::Value* bound = round.compare->getOperand(1);
    llvm::CmpInst::Predicate predicate =
        round.holds ? round.compare->getPredicate() : round.compare->getInversePredicate();
    if (loop.isLoopInvariant(counter)) {
      std::swap(counter, bound);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    }
    const Found most = loop.isLoopInvariant(bound) ? of(*bound, *before) : std::nullopt;
    const unsigned bits = std::min(bits_in(phi), bits_in(*counter));
    if (const auto* cut = llvm::dyn_cast<llvm::TruncInst>(counter)) {
      counter = cut->getOperand(0);
    }
    if (most && (counter == next || counter == &phi)) {
      const CountedLoop counted{.start = *start, .step = *by, .most = *most, .bits = bits};
      if (const Found range = of_counter(counted, predicate, counter == next, bits_in(phi))) {
        return range;
      }
    }
  }
  return std::nullopt;
}

/// The last number up to `most` that the counter takes, where it begins alike for all threads.
llvm::Value* Ranges::last_in_steps(const CountedLoop& loop, llvm::Value* most) {
  llvm::Value* step = greatest(loop.step.low, number(1));
  llvm::Value* whole = builder_.CreateSDiv(builder_.CreateSub(most, loop.start.low), step);
  llvm::Value* last = builder_.CreateAdd(loop.start.low, builder_.CreateMul(whole, step));
  llvm::Value* alike = builder_.CreateAnd(builder_.CreateICmpEQ(loop.start.low, loop.start.high),
                                          builder_.CreateICmpEQ(loop.step.low, loop.step.high));
  return builder_.CreateSelect(alike, last, most);
}

/// @param sees_next  The loop compares what the counter is to be in the next round.
Ranges::Found Ranges::of_counter(const CountedLoop& loop, llvm::CmpInst::Predicate predicate,
                                 bool sees_next, unsigned bits) {
  llvm::Value* last = loop.most.high;
  llvm::Value* sound = builder_.CreateICmpSGT(loop.step.low, number(0));
  const auto need = [&](llvm::Value* also) { sound = builder_.CreateAnd(sound, also); };
  switch (predicate) {
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_SLT:
      break;
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_ULE:
      need(is_natural(loop.most));
      need(is_natural(loop.start));
      break;
    case llvm::CmpInst::ICMP_NE:  // In steps of one it is met.
      need(builder_.CreateICmpEQ(loop.step.low, number(1)));
      need(builder_.CreateICmpEQ(loop.step.high, number(1)));
      need(builder_.CreateICmpSLT(loop.start.high, loop.most.low));
      break;
    default:
      return std::nullopt;
  }
  const bool reaches_it =
      predicate == llvm::CmpInst::ICMP_SLE || predicate == llvm::CmpInst::ICMP_ULE;
  last = reaches_it ? last : builder_.CreateSub(last, number(1));
  last = last_in_steps(loop, last);
  last = sees_next ? last : builder_.CreateAdd(last, loop.step.high);
  const Range range{loop.start.low, greatest(loop.start.high, last)};
  // The step behind the last round must not turn over either.
  llvm::Value* behind = builder_.CreateAdd(range.high, loop.step.high);
  need(builder_.CreateICmpEQ(fitting({range.low, behind}, loop.bits).high, behind));
  return where(sound, range, bits);
}

/// The value that each thread has carried over a stop is looked up for all of them.
Ranges::Found Ranges::of_slot(const llvm::LoadInst& load) {
  const auto slot = phase_.of_threads.find(&load);
  if (slot == phase_.of_threads.end()) {
    return std::nullopt;
  }
  llvm::Function* function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(builder_.getContext(), "range", function);
  llvm::BasicBlock* behind = llvm::BasicBlock::Create(builder_.getContext(), "ranged", function);
  llvm::Type* type = load.getType();
  const std::uint64_t bytes = load.getModule()->getDataLayout().getTypeAllocSize(type);
  const unsigned bits = bits_in(load);
  llvm::Type* integer = builder_.getIntNTy(bits);
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* thread = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  llvm::PHINode* low = builder_.CreatePHI(integer, 2);
  llvm::PHINode* high = builder_.CreatePHI(integer, 2);
  thread->addIncoming(unit_.number.low, before);
  low->addIncoming(builder_.getInt(llvm::APInt::getSignedMaxValue(bits)), before);
  high->addIncoming(builder_.getInt(llvm::APInt::getSignedMinValue(bits)), before);
  llvm::Value* value =
      builder_.CreateLoad(integer, thread_slot(builder_, thread, slot->second.offset, bytes));
  llvm::Value* new_low = least(low, value);
  llvm::Value* new_high = greatest(high, value);
  llvm::Value* next = builder_.CreateNUWAdd(thread, number(1));
  thread->addIncoming(next, loop);
  low->addIncoming(new_low, loop);
  high->addIncoming(new_high, loop);
  builder_.CreateCondBr(builder_.CreateICmpULE(next, unit_.number.high), loop, behind);
  builder_.SetInsertPoint(behind);
  const Range range = {builder_.CreateSExt(new_low, builder_.getInt64Ty()),
                       builder_.CreateSExt(new_high, builder_.getInt64Ty()), false,
                       bits < kWordBits ? bits : Range().size};
  return bits < kWordBits ? range : fitting(range, bits);
}

}  // namespace ws::clang_engine
