#include "runtime/compile/clang/offset_range.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace ws::clang_engine {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
/// How deep sums and products of vectors are looked into.
constexpr int kDepth = 4;

using Bound = std::optional<std::uint64_t>;

Bound sum(Bound a, Bound b) {
  return a && b && *a + *b <= kMost ? Bound(*a + *b) : std::nullopt;
}

Bound product(Bound a, Bound b) {
  return a && b && (*b == 0 || *a <= kMost / *b) ? Bound(*a * *b) : std::nullopt;
}

Bound of_magnitude(const llvm::APInt& magnitude) {
  return magnitude.ule(kMost) ? Bound(magnitude.getZExtValue()) : std::nullopt;
}

/// 2^bits.
Bound power(std::uint64_t bits) {
  return bits <= 62 ? Bound(std::uint64_t{1} << bits) : std::nullopt;
}

/// The largest magnitude of a constant's lanes.
Bound of_lanes(const llvm::Constant& constant) {
  if (llvm::isa<llvm::ConstantAggregateZero>(constant)) {
    return 0;
  }
  const auto* lanes = llvm::dyn_cast<llvm::ConstantDataVector>(&constant);
  if (lanes == nullptr || !lanes->getElementType()->isIntegerTy()) {
    return std::nullopt;
  }
  Bound most = 0;
  for (unsigned i = 0; i < lanes->getNumElements() && most; ++i) {
    const Bound lane = of_magnitude(lanes->getElementAsAPInt(i).abs());
    most = lane ? Bound(std::max(*most, *lane)) : std::nullopt;
  }
  return most;
}

/// By the forms of the operations: scalar evolution knows no vectors.
Bound of_vector(const llvm::Value& value, int depth) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) {
    return of_lanes(*constant);
  }
  const unsigned bits = value.getType()->getScalarSizeInBits();
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(&value);
  // Sums of 64 bits only: a narrower one may wrap, and is then bounded by its type.
  if (operation == nullptr || depth == 0 || bits != 64) {
    return power(bits);
  }
  const auto operand = [&](unsigned i) { return of_vector(*operation->getOperand(i), depth - 1); };
  switch (operation->getOpcode()) {
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
      return power(operation->getOperand(0)->getType()->getScalarSizeInBits());
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      return sum(operand(0), operand(1));
    case llvm::Instruction::Mul:
      return product(operand(0), operand(1));
    case llvm::Instruction::Shl: {
      const auto* by = llvm::dyn_cast<llvm::Constant>(operation->getOperand(1));
      const Bound most = by == nullptr ? std::nullopt : of_lanes(*by);
      return most ? product(operand(0), power(*most)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::uint64_t> most_of(llvm::Value& value, llvm::ScalarEvolution& evolution) {
  if (!value.getType()->isIntegerTy()) {
    return of_vector(value, kDepth);
  }
  const llvm::ConstantRange range = evolution.getSignedRange(evolution.getSCEV(&value));
  const llvm::APInt low = range.getSignedMin().abs();  // The least number has 2^(bits - 1).
  const llvm::APInt high = range.getSignedMax().abs();
  return of_magnitude(llvm::APIntOps::umax(low, high));
}

}  // namespace ws::clang_engine
