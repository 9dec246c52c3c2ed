// Ranges as pairs of numbers, and what the branches before a block say of them.
#include <algorithm>

#include <llvm/IR/PatternMatch.h>

#include "runtime/compile/clang/phases/ranges.h"

namespace ws::clang_engine {
namespace {

/// A number that may be anything; sums of two still fit into 64 bits.
constexpr std::int64_t kUnknown = 2 * Ranges::kMostKnown;
constexpr unsigned kUnknownSize = 62;
/// The size of numbers below Ranges::kMostKnown.
constexpr unsigned kKnownSize = 60;
/// The product of two factors up to here fits into 64 bits.
constexpr std::int64_t kMostFactor = std::int64_t{1} << 31U;

}  // namespace

llvm::Value* Ranges::least(llvm::Value* a, llvm::Value* b) {
  return a == b ? a : builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
}

llvm::Value* Ranges::greatest(llvm::Value* a, llvm::Value* b) {
  return a == b ? a : builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
}

llvm::Value* Ranges::is_within(const Range& range, std::int64_t most) {
  return builder_.CreateAnd(builder_.CreateICmpSGE(range.low, number(-most)),
                            builder_.CreateICmpSLE(range.high, number(most)));
}

llvm::Value* Ranges::is_natural(const Range& range) {
  return builder_.CreateICmpSGE(range.low, number(0));
}

llvm::Value* Ranges::is_empty(const Range& range) {
  llvm::Value* none = builder_.CreateICmpSGT(range.low, range.high);
  return range.size < kKnownSize ? none : builder_.CreateAnd(none, is_within(range, kMostKnown));
}

Range Ranges::same(llvm::Value* value) {
  llvm::Type* word = builder_.getInt64Ty();
  const bool narrow = value->getType()->isIntegerTy() && !value->getType()->isIntegerTy(kWordBits);
  const unsigned bits = narrow ? value->getType()->getIntegerBitWidth() : kWordBits;
  value = value->getType()->isPointerTy() ? builder_.CreatePtrToInt(value, word)
                                          : builder_.CreateSExt(value, word);
  const Range range = {value, value, true};
  return narrow ? Range{value, value, true, bits} : fitting(range, kWordBits);
}

Range Ranges::where(llvm::Value* known, const Range& range, unsigned bits) {
  const std::int64_t least = bits == kWordBits ? -kUnknown : -(std::int64_t{1} << (bits - 1));
  const std::int64_t most = bits == kWordBits ? kUnknown : -(least + 1);
  return {builder_.CreateSelect(known, range.low, number(least)),
          builder_.CreateSelect(known, range.high, number(most)), range.same,
          bits == kWordBits ? kUnknownSize : bits};
}

Range Ranges::fitting(const Range& range, unsigned bits) {
  if (range.size < std::min(bits, kKnownSize)) {
    return range;
  }
  if (bits == kWordBits) {
    return where(is_within(range, kMostKnown), range, bits);
  }
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  llvm::Value* fits = builder_.CreateAnd(builder_.CreateICmpSGE(range.low, number(-most - 1)),
                                         builder_.CreateICmpSLE(range.high, number(most)));
  return where(fits, range, bits);
}

Range Ranges::sum(const Range& a, const Range& b) {
  return {builder_.CreateAdd(a.low, b.low), builder_.CreateAdd(a.high, b.high), a.same && b.same,
          std::max(a.size, b.size) + 1};
}

Range Ranges::product(const Range& a, const Range& times) {
  llvm::Value* low = builder_.CreateMul(a.low, times.low);
  llvm::Value* high = a.low == a.high ? low : builder_.CreateMul(a.high, times.low);
  // A number that may have left its bits is any number.
  llvm::Value* one = builder_.CreateICmpEQ(times.low, times.high);
  llvm::Value* known = builder_.CreateAnd(
      one, builder_.CreateAnd(is_within(a, kMostFactor), is_within(times, kMostFactor)));
  return where(known, {least(low, high), greatest(low, high), a.same && times.same}, kWordBits);
}

Range Ranges::both(const Range& a, const Range& b) {
  return {least(a.low, b.low), greatest(a.high, b.high), false, std::max(a.size, b.size)};
}

const std::vector<Ranges::Condition>& Ranges::conditions(const llvm::BasicBlock& at) {
  const auto [place, fresh] = conditions_.try_emplace(&at);
  std::vector<Condition>& found = place->second;
  if (!fresh) {
    return found;
  }
  const llvm::DomTreeNode* node = dominators_.getNode(&at);
  for (; node != nullptr && node->getIDom() != nullptr; node = node->getIDom()) {
    const llvm::BasicBlock* before = node->getIDom()->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (branch == nullptr || !branch->isConditional()) {
      continue;
    }
    for (unsigned way = 0; way < 2; ++way) {
      const llvm::BasicBlockEdge edge(before, branch->getSuccessor(way));
      if (dominators_.dominates(edge, &at)) {
        add_conditions(*branch->getCondition(), way == 0, found);
      }
    }
  }
  return found;
}

llvm::Value* Ranges::nobody_at(const llvm::BasicBlock& at) {
  llvm::Value* nobody = builder_.getFalse();
  for (const Condition& condition : conditions(at)) {
    for (const llvm::Value* compared : condition.compare->operand_values()) {
      if (const Found range = of(*compared, at)) {
        nobody = builder_.CreateOr(nobody, is_empty(*range));
      }
    }
  }
  return nobody;
}

void Ranges::add_conditions(llvm::Value& value, bool holds, std::vector<Condition>& found) {
  using llvm::PatternMatch::m_LogicalAnd;
  using llvm::PatternMatch::m_LogicalOr;
  using llvm::PatternMatch::m_Value;
  llvm::Value* one = nullptr;
  llvm::Value* other = nullptr;
  const bool split = holds ? match(&value, m_LogicalAnd(m_Value(one), m_Value(other)))
                           : match(&value, m_LogicalOr(m_Value(one), m_Value(other)));
  if (split) {
    add_conditions(*one, holds, found);
    add_conditions(*other, holds, found);
  } else if (const auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(&value)) {
    add_conditions(*frozen->getOperand(0), holds, found);
  } else if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&value)) {
    found.push_back({compare, holds});
  }
}

void Ranges::refine(const llvm::Value& value, const llvm::BasicBlock& at, Range& range) {
  for (const Condition& condition : conditions(at)) {
    const llvm::ICmpInst& compare = *condition.compare;
    llvm::CmpInst::Predicate predicate =
        condition.holds ? compare.getPredicate() : compare.getInversePredicate();
    const llvm::Value* other = nullptr;
    if (compare.getOperand(0) == &value) {
      other = compare.getOperand(1);
    } else if (compare.getOperand(1) == &value) {
      other = compare.getOperand(0);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    }
    if (other != nullptr) {
      // As it is without branches: what they say of it may be said by way of `value`.
      if (const Found bound = find(*other, at)) {
        refine(range, predicate, *bound);
      }
    }
  }
}

void Ranges::refine(Range& range, llvm::CmpInst::Predicate predicate, const Range& other) {
  llvm::Value* below = builder_.CreateSub(other.high, number(1));
  llvm::Value* above = builder_.CreateAdd(other.low, number(1));
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      range.low = greatest(range.low, other.low);
      range.high = least(range.high, other.high);
      break;
    case llvm::CmpInst::ICMP_SLT:
      range.high = least(range.high, below);
      break;
    case llvm::CmpInst::ICMP_SLE:
      range.high = least(range.high, other.high);
      break;
    case llvm::CmpInst::ICMP_SGT:
      range.low = greatest(range.low, above);
      break;
    case llvm::CmpInst::ICMP_SGE:
      range.low = greatest(range.low, other.low);
      break;
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_ULE: {
      llvm::Value* most = predicate == llvm::CmpInst::ICMP_ULT ? below : other.high;
      llvm::Value* natural = is_natural(other);
      range.low = builder_.CreateSelect(natural, greatest(range.low, number(0)), range.low);
      range.high = builder_.CreateSelect(natural, least(range.high, most), range.high);
      break;
    }
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_UGE: {
      llvm::Value* most = predicate == llvm::CmpInst::ICMP_UGT ? above : other.low;
      llvm::Value* natural = builder_.CreateAnd(is_natural(range), is_natural(other));
      range.low = builder_.CreateSelect(natural, greatest(range.low, most), range.low);
      break;
    }
    default:
      return;
  }
  range.size = std::max(range.size, other.size + 1);
}

}  // namespace ws::clang_engine
