#include "runtime/compile/clang/ptx/small_floats.h"

#include "runtime/compile/clang/ptx/number.h"

namespace ws::clang_engine::ptx {
namespace {

constexpr Types kPairs = {Type::kE4m3x2, Type::kE5m2x2};
constexpr unsigned kFloatMantissa = 23;
constexpr std::uint32_t kFloatBias = 127;
constexpr std::uint32_t kMagnitude = 0x7fffffff;

/// The layout of a number of 8 bits.
struct SmallFloat {
  std::uint32_t mantissa;  ///< Its bits.
  int least_exponent;      ///< That of the smallest normal number; denormal ones share its steps.
  double most;
};

SmallFloat layout_of(Type pair) {
  return pair == Type::kE4m3x2 ? SmallFloat{.mantissa = 3, .least_exponent = -6, .most = 448}
                               : SmallFloat{.mantissa = 2, .least_exponent = -14, .most = 57344};
}

/// A float of type tf32: 13 bits fewer.
llvm::Value* to_tf32(Step& step, llvm::Value* value) {
  constexpr std::uint32_t kHalf = 0x1000;
  llvm::IRBuilder<>& b = step.b;
  value = relu(step, value);
  llvm::Value* bits = b.CreateBitCast(value, b.getInt32Ty());
  llvm::Value* add = b.getInt32(step.has(Modifier::kRz) ? 0 : kHalf);
  if (step.has(Modifier::kRn)) {  // Halfway to the even one.
    add = b.CreateAdd(b.CreateAnd(b.CreateLShr(bits, 13), 1), b.getInt32(kHalf - 1));
  }
  llvm::Value* rounded = b.CreateAnd(b.CreateAdd(bits, add), ~std::uint32_t{0x1fff});
  if (step.has(Modifier::kSatfinite)) {
    llvm::Value* sign = b.CreateAnd(bits, ~kMagnitude);
    llvm::Value* most = b.CreateOr(sign, b.getInt32(0x7f7fe000));
    llvm::Value* beyond = b.CreateICmpUGE(b.CreateAnd(rounded, kMagnitude), b.getInt32(0x7f800000));
    rounded = b.CreateSelect(beyond, most, rounded);
  }
  return b.CreateSelect(b.CreateFCmpORD(value, value), rounded, b.getInt32(kMagnitude));
}

/// A float as a number of 8 bits, in an integer of 32: to the nearest one, and no further than the
/// largest one. What is no number stays so.
llvm::Value* to_8_bits(Step& step, llvm::Value* value) {
  llvm::IRBuilder<>& b = step.b;
  const SmallFloat layout = layout_of(step.type());
  llvm::Type* single = b.getFloatTy();
  value = relu(step, value);
  llvm::Value* sign = b.CreateAnd(b.CreateLShr(b.CreateBitCast(value, b.getInt32Ty()), 24), 0x80);
  llvm::Value* size = b.CreateMinNum(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value),
                                     llvm::ConstantFP::get(single, layout.most));
  llvm::Value* least = b.getInt32(kFloatBias + static_cast<std::uint32_t>(layout.least_exponent));
  llvm::Value* exponent =
      step.binary(llvm::Intrinsic::umax,
                  b.CreateLShr(b.CreateBitCast(size, b.getInt32Ty()), kFloatMantissa), least);
  // In steps of the last place: times 2^(mantissa - exponent).
  llvm::Value* scale = b.CreateSub(b.getInt32(2 * kFloatBias + layout.mantissa), exponent);
  scale = b.CreateBitCast(b.CreateShl(scale, kFloatMantissa), single);
  llvm::Value* steps = b.CreateFPToUI(
      step.unary(llvm::Intrinsic::roundeven, b.CreateFMul(size, scale)), b.getInt32Ty());
  llvm::Value* code =
      b.CreateAdd(steps, b.CreateShl(b.CreateSub(exponent, least), layout.mantissa));
  code = b.CreateSelect(b.CreateFCmpORD(value, value), code, b.getInt32(0x7f));
  return b.CreateOr(code, sign);
}

/// The lowest 8 bits as a half.
llvm::Value* half_of_8_bits(Step& step, llvm::Value* bits) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Type* half = b.getHalfTy();
  bits = b.CreateTrunc(b.CreateAnd(bits, 0xff), b.getInt16Ty());
  if (step.source_type() == Type::kE5m2x2) {
    return b.CreateBitCast(b.CreateShl(bits, 8), half);
  }
  // The bits as those of a half, whose exponent counts from 8 places further down.
  llvm::Value* size = b.CreateAnd(bits, 0x7f);
  llvm::Value* value =
      b.CreateFMul(b.CreateFPExt(b.CreateBitCast(b.CreateShl(size, 7), half), b.getFloatTy()),
                   llvm::ConstantFP::get(b.getFloatTy(), 256.0));
  value = b.CreateBitCast(b.CreateFPTrunc(value, half), b.getInt16Ty());
  value = b.CreateSelect(b.CreateICmpEQ(size, b.getInt16(0x7f)), b.getInt16(0x7fff), value);
  return b.CreateBitCast(b.CreateOr(value, b.CreateShl(b.CreateAnd(bits, 0x80), 8)), half);
}

void emit_to_8_bits(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  std::vector<llvm::Value*> values;  // The upper one first.
  if (step.source_type() == Type::kF32) {
    values = {step.in(1), step.in(2)};
  } else {
    llvm::Value* both = step.in(1);
    for (const unsigned shift : {16U, 0U}) {
      llvm::Value* bits = b.CreateTrunc(b.CreateLShr(both, shift), b.getInt16Ty());
      values.push_back(b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy()));
    }
  }
  llvm::Value* both =
      b.CreateOr(b.CreateShl(to_8_bits(step, values[0]), 8), to_8_bits(step, values[1]));
  step.out(b.CreateTrunc(both, b.getInt16Ty()));
}

void emit_from_8_bits(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* both = step.in(1);
  llvm::Value* result = b.getInt32(0);
  for (const unsigned half : {0U, 1U}) {
    llvm::Value* value = relu(step, half_of_8_bits(step, b.CreateLShr(both, 8 * half)));
    llvm::Value* bits = b.CreateZExt(b.CreateBitCast(value, b.getInt16Ty()), b.getInt32Ty());
    result = b.CreateOr(result, b.CreateShl(bits, 16 * half));
  }
  step.out(result);
}

}  // namespace

bool converts_small_floats(const Step& step) {
  const Types small = kPairs | Types{Type::kTf32};
  return small.has(step.type()) || small.has(step.source_type());
}

void emit_small_conversion(Step& step) {
  const bool to_tf = step.type() == Type::kTf32;
  const bool to_pair = kPairs.has(step.type());
  const bool from_two = to_pair && step.source_type() == Type::kF32;
  const bool known = (to_tf && step.source_type() == Type::kF32) || from_two ||
                     (to_pair && step.source_type() == Type::kF16x2) ||
                     (step.type() == Type::kF16x2 && kPairs.has(step.source_type()));
  if (!known) {
    return step.machine.complain("this conversion is not supported on the CPU engine");
  }
  if (step.operands() != (from_two ? 3 : 2)) {
    return step.machine.complain("this conversion has other operands");
  }
  if (to_tf) {
    return step.out(to_tf32(step, step.in(1)));
  }
  to_pair ? emit_to_8_bits(step) : emit_from_8_bits(step);
}

}  // namespace ws::clang_engine::ptx
