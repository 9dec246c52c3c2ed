#include "runtime/compile/clang/offset_range.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>

namespace ws::clang_engine {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
/// How deep sums and products are looked into.
constexpr int kDepth = 4;

using Bound = std::optional<std::uint64_t>;

Bound sum(Bound a, Bound b) {
  return a && b && *a + *b <= kMost ? Bound(*a + *b) : std::nullopt;
}

Bound product(Bound a, Bound b) {
  return a && b && (*b == 0 || *a <= kMost / *b) ? Bound(*a * *b) : std::nullopt;
}

/// The largest magnitude of a constant, of each of its lanes.
Bound of_constant(const llvm::Constant& constant) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    const llvm::APInt magnitude = number->getValue().abs();
    return magnitude.ule(kMost) ? Bound(magnitude.getZExtValue()) : std::nullopt;
  }
  if (llvm::isa<llvm::ConstantAggregateZero>(constant)) {
    return 0;
  }
  const auto* lanes = llvm::dyn_cast<llvm::ConstantDataVector>(&constant);
  if (lanes == nullptr || !lanes->getElementType()->isIntegerTy()) {
    return std::nullopt;
  }
  Bound most = 0;
  for (unsigned i = 0; i < lanes->getNumElements() && most; ++i) {
    const Bound lane = of_constant(*lanes->getElementAsConstant(i));
    most = lane ? Bound(std::max(*most, *lane)) : std::nullopt;
  }
  return most;
}

/// 2^bits.
Bound power(std::uint64_t bits) {
  return bits <= 62 ? Bound(std::uint64_t{1} << bits) : std::nullopt;
}

Bound most_of(const llvm::Value& value, int depth);

Bound of_operation(const llvm::Instruction& operation, int depth) {
  const auto operand = [&](unsigned i) { return most_of(*operation.getOperand(i), depth - 1); };
  const auto constant = [&](unsigned i) -> Bound {
    const auto* known = llvm::dyn_cast<llvm::Constant>(operation.getOperand(i));
    return known == nullptr ? std::nullopt : of_constant(*known);
  };
  switch (operation.getOpcode()) {
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
      return power(operation.getOperand(0)->getType()->getScalarSizeInBits());
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return sum(operand(0), operand(1));
    case llvm::Instruction::Mul:
      return product(operand(0), operand(1));
    case llvm::Instruction::Shl: {
      const Bound by = constant(1);
      return by ? product(operand(0), power(*by)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Bound most_of(const llvm::Value& value, int depth) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) {
    return of_constant(*constant);
  }
  const unsigned bits = value.getType()->getScalarSizeInBits();
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(&value);
  // Sums of 64 bits only: a narrower one may wrap, and is then bounded by its type.
  const Bound found = operation != nullptr && depth > 0 && bits == 64
                          ? of_operation(*operation, depth)
                          : std::nullopt;
  return found ? found : power(bits);
}

}  // namespace

std::optional<std::uint64_t> most_offset(const llvm::GEPOperator& step,
                                         const llvm::DataLayout& layout) {
  Bound total = 0;
  for (auto at = llvm::gep_type_begin(step), end = llvm::gep_type_end(step); at != end; ++at) {
    if (llvm::StructType* members = at.getStructTypeOrNull()) {
      const auto* index = llvm::dyn_cast<llvm::ConstantInt>(at.getOperand());
      if (index == nullptr) {
        return std::nullopt;
      }
      const auto member = static_cast<unsigned>(index->getZExtValue());
      total = sum(total, layout.getStructLayout(members)->getElementOffset(member).getFixedValue());
      continue;
    }
    const llvm::TypeSize stride = at.getSequentialElementStride(layout);
    if (stride.isScalable()) {
      return std::nullopt;
    }
    total = sum(total, product(most_of(*at.getOperand(), kDepth), stride.getFixedValue()));
  }
  return total;
}

}  // namespace ws::clang_engine
