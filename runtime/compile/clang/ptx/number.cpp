#include "runtime/compile/clang/ptx/number.h"

#include <llvm/ADT/APFloat.h>

namespace ws::clang_engine::ptx {
namespace {

llvm::Value* float_to_bf16(llvm::IRBuilder<>& b, llvm::Value* value, Rounding rounding) {
  llvm::Value* bits = b.CreateBitCast(value, b.getInt32Ty());
  llvm::Value* upper = b.CreateLShr(bits, 16);
  llvm::Value* negative = b.CreateLShr(bits, 31);
  llvm::Value* add = b.getInt32(0);
  switch (rounding) {
    case Rounding::kNearest:
      add = b.CreateAdd(b.CreateAnd(upper, 1), b.getInt32(0x7fff));
      break;
    case Rounding::kZero:
      break;
    case Rounding::kDown:
      add = b.CreateSelect(b.CreateTrunc(negative, b.getInt1Ty()), b.getInt32(0xffff), add);
      break;
    case Rounding::kUp:
      add = b.CreateSelect(b.CreateTrunc(negative, b.getInt1Ty()), add, b.getInt32(0xffff));
      break;
  }
  llvm::Value* rounded = b.CreateLShr(b.CreateAdd(bits, add), 16);
  llvm::Value* number = b.CreateFCmpORD(value, value);
  return b.CreateTrunc(b.CreateSelect(number, rounded, b.getInt32(0x7fff)), b.getInt16Ty());
}

/// By one step of the last place towards zero, or away from it.
llvm::Value* stepped(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Value* away) {
  const auto bits = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits());
  llvm::Type* type = b.getIntNTy(bits);
  llvm::Value* integer = b.CreateBitCast(value, type);
  llvm::Value* step =
      b.CreateSelect(away, llvm::ConstantInt::get(type, 1), llvm::ConstantInt::getSigned(type, -1));
  return b.CreateBitCast(b.CreateAdd(integer, step), value->getType());
}

/// The nearest number is at most one step too far.
llvm::Value* narrow_directed(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* to,
                             Rounding rounding) {
  llvm::Value* near = b.CreateFPTrunc(value, to);
  llvm::Value* back = b.CreateFPExt(near, value->getType());
  llvm::Value* zero = llvm::ConstantFP::get(value->getType(), 0.0);
  llvm::Value* negative = b.CreateFCmpOLT(value, zero);
  llvm::Value* above = b.CreateFCmpOGT(back, value);
  llvm::Value* below = b.CreateFCmpOLT(back, value);
  llvm::Value* wrong = rounding == Rounding::kDown ? above : below;
  if (rounding == Rounding::kZero) {
    wrong = b.CreateSelect(negative, below, above);
  }
  // A number that was rounded to zero has its sign only where it was negative.
  llvm::Value* away = rounding == Rounding::kZero ? b.getFalse()
                      : rounding == Rounding::kUp ? b.CreateNot(negative)
                                                  : negative;
  return b.CreateSelect(wrong, stepped(b, near, away), near);
}

/// To a float that keeps, in its last bit, whether bits were lost: a second rounding is right then.
llvm::Value* to_odd_float(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Value* cut = narrow_directed(b, value, b.getFloatTy(), Rounding::kZero);
  llvm::Value* lost = b.CreateFCmpONE(b.CreateFPExt(cut, value->getType()), value);
  llvm::Value* bits = b.CreateBitCast(cut, b.getInt32Ty());
  return b.CreateBitCast(b.CreateOr(bits, b.CreateZExt(lost, b.getInt32Ty())), b.getFloatTy());
}

}  // namespace

llvm::Value* narrow(llvm::IRBuilder<>& b, llvm::Value* value, Type from, Type to,
                    Rounding rounding) {
  if (to == Type::kBf16) {
    return float_to_bf16(b, from == Type::kF64 ? to_odd_float(b, value) : value, rounding);
  }
  llvm::Type* type = llvm_type(to, b.getContext());
  return rounding == Rounding::kNearest ? b.CreateFPTrunc(value, type)
                                        : narrow_directed(b, value, type, rounding);
}

llvm::Value* widen(llvm::IRBuilder<>& b, llvm::Value* value, Type from, Type to) {
  if (from == Type::kBf16) {
    llvm::Value* bits = b.CreateShl(b.CreateZExt(value, b.getInt32Ty()), 16);
    value = b.CreateBitCast(bits, b.getFloatTy());
  }
  return b.CreateFPExt(value, llvm_type(to, b.getContext()));
}

llvm::Value* saturated(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Value* positive = b.CreateMaxNum(value, llvm::ConstantFP::get(value->getType(), 0.0));
  return b.CreateMinNum(positive, llvm::ConstantFP::get(value->getType(), 1.0));
}

llvm::Value* relu(Step& step, llvm::Value* value) {
  if (!step.has(Modifier::kRelu)) {
    return value;
  }
  llvm::Value* zero = llvm::ConstantFP::get(value->getType(), 0.0);
  return step.b.CreateSelect(step.b.CreateFCmpOLT(value, zero), zero, value);
}

llvm::Value* flushed(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Type* type = value->getType();
  llvm::Value* least =
      llvm::ConstantFP::get(type, llvm::APFloat::getSmallestNormalized(type->getFltSemantics()));
  llvm::Value* small = b.CreateFCmpOLT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value), least);
  llvm::Value* zero =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(type, 0.0), value);
  return b.CreateSelect(small, zero, value);
}

namespace {

/// One number of the result.
llvm::Value* compute_one(Step& step, Type type, Type wide, std::vector<llvm::Value*> inputs,
                         Compute compute) {
  const bool flushes = step.has(Modifier::kFtz) && type != Type::kBf16;
  const bool widens = type == Type::kF16 || type == Type::kBf16;
  for (llvm::Value*& input : inputs) {
    input = flushes ? flushed(step.b, input) : input;
    input = widens ? widen(step.b, input, type, wide) : input;
  }
  llvm::Value* result = compute(inputs);
  if (step.has(Modifier::kSat)) {
    result = saturated(step.b, result);
  }
  result = relu(step, result);
  result = widens ? narrow(step.b, result, wide, type, Rounding::kNearest) : result;
  return flushes ? flushed(step.b, result) : result;
}

}  // namespace

void compute_numbers(Step& step, Type wide, Compute compute) {
  llvm::IRBuilder<>& b = step.b;
  const Type type = step.type();
  std::vector<llvm::Value*> inputs;
  for (std::size_t i = 1; i < step.operands(); ++i) {
    inputs.push_back(step.in(i));
  }
  if (!is_pair(type)) {
    return step.out(compute_one(step, type, wide, std::move(inputs), compute));
  }
  llvm::Value* both = b.getInt32(0);
  for (const unsigned shift : {0U, 16U}) {
    std::vector<llvm::Value*> halves;
    for (llvm::Value* input : inputs) {
      llvm::Value* bits = b.CreateTrunc(b.CreateLShr(input, shift), b.getInt16Ty());
      halves.push_back(b.CreateBitCast(bits, llvm_type(half_of(type), b.getContext())));
    }
    llvm::Value* half = compute_one(step, half_of(type), wide, std::move(halves), compute);
    llvm::Value* bits = b.CreateZExt(b.CreateBitCast(half, b.getInt16Ty()), b.getInt32Ty());
    both = b.CreateOr(both, b.CreateShl(bits, shift));
  }
  step.out(both);
}

}  // namespace ws::clang_engine::ptx
