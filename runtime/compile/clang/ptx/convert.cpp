// Conversions, moves between registers, and addresses as numbers.
#include "runtime/compile/clang/conversions.h"
#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/number.h"
#include "runtime/compile/clang/ptx/small_floats.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine::ptx {
namespace {

constexpr Modifiers kIntoIntegers = {Modifier::kRni, Modifier::kRzi, Modifier::kRmi,
                                     Modifier::kRpi};
constexpr Modifiers kShared = {Modifier::kShared, Modifier::kSharedCta};

/// The nearest whole number, or the one below, above, or towards zero.
llvm::Value* whole(Step& step, llvm::Value* value) {
  if (step.has(Modifier::kRni) || step.has(Modifier::kRn)) {
    return step.unary(llvm::Intrinsic::rint, value);
  }
  if (step.has(Modifier::kRmi) || step.has(Modifier::kRm)) {
    return step.unary(llvm::Intrinsic::floor, value);
  }
  return step.unary(step.has(Modifier::kRpi) || step.has(Modifier::kRp) ? llvm::Intrinsic::ceil
                                                                        : llvm::Intrinsic::trunc,
                    value);
}

llvm::Value* float_to_integer(Step& step, llvm::Value* value) {
  llvm::Type* type = llvm_type(step.type(), step.b.getContext());
  return saturated_integer(step.b, whole(step, value), type, is_signed(step.type()));
}

llvm::Value* integer_to_float(Step& step, llvm::Value* value) {
  llvm::IRBuilder<>& b = step.b;
  const Rounding rounding = rounding_of(step);
  const bool sign = is_signed(step.source_type());
  const auto converted = [&](llvm::Type* type) {
    return sign ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
  };
  const bool exact_double = bits_of(step.source_type()) <= 32;
  if (exact_double) {
    return step.type() == Type::kF64
               ? converted(b.getDoubleTy())
               : narrow(b, converted(b.getDoubleTy()), Type::kF64, step.type(), rounding);
  }
  if (rounding != Rounding::kNearest || step.type() == Type::kBf16) {
    step.machine.complain("64 bits are only rounded to the nearest float on the CPU engine");
  }
  return converted(llvm_type(step.type(), b.getContext()));
}

llvm::Value* float_to_float(Step& step, llvm::Value* value, Type from) {
  llvm::IRBuilder<>& b = step.b;
  const Type to = step.type();
  value = step.has(Modifier::kFtz) && from == Type::kF32 ? flushed(b, value) : value;
  value = step.modifiers().has_any(kIntoIntegers) ? whole(step, value) : value;
  if (from == to) {
    return value;
  }
  if (bits_of(to) > bits_of(from)) {
    return widen(b, value, from, to);
  }
  if (from == Type::kF16) {  // To bf16.
    return narrow(b, widen(b, value, from, Type::kF32), Type::kF32, to, rounding_of(step));
  }
  value = narrow(b, value, from, to, rounding_of(step));
  return step.has(Modifier::kFtz) && to == Type::kF32 ? flushed(b, value) : value;
}

/// With `.satfinite`, a float goes no further than the largest half of the type.
llvm::Value* kept_finite(Step& step, llvm::Value* value) {
  if (!step.has(Modifier::kSatfinite)) {
    return value;
  }
  constexpr double kMostF16 = 65504;
  constexpr double kMostBf16 = 0x1.fep127;
  const bool brain = step.type() == Type::kBf16 || step.type() == Type::kBf16x2;
  llvm::Value* most = llvm::ConstantFP::get(value->getType(), brain ? kMostBf16 : kMostF16);
  llvm::Value* size = step.unary(llvm::Intrinsic::fabs, value);
  return step.b.CreateSelect(step.b.CreateFCmpOGT(size, most),
                             step.binary(llvm::Intrinsic::copysign, most, value), value);
}

/// From one number, or from two floats to a pair: the first one is the upper half.
llvm::Value* converted_float(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  const auto finished = [&](llvm::Value* value) {
    value = kept_finite(step, relu(step, value));
    return step.has(Modifier::kSat) ? saturated(b, value) : value;
  };
  if (!is_pair(step.type())) {
    llvm::Value* value = step.machine.read(step.operand(1), step.source_type(), /*wider=*/true);
    const bool widens = step.source_type() == Type::kBf16;
    value = widens ? widen(b, value, Type::kBf16, Type::kF32) : value;
    return float_to_float(step, finished(value), widens ? Type::kF32 : step.source_type());
  }
  const auto half = [&](std::size_t index) {
    llvm::Value* value = narrow(b, finished(step.in(index, Type::kF32)), Type::kF32,
                                half_of(step.type()), rounding_of(step));
    return b.CreateZExt(b.CreateBitCast(value, b.getInt16Ty()), b.getInt32Ty());
  };
  return b.CreateOr(b.CreateShl(half(1), 16), half(2));
}

/// To the least or greatest value of the destination's type.
llvm::Value* limited_integer(Step& step, llvm::Value* value) {
  llvm::IRBuilder<>& b = step.b;
  // Wide enough for the values of both types.
  llvm::Type* wide = b.getIntNTy(128);
  const unsigned bits = bits_of(step.type());
  const bool sign = is_signed(step.type());
  value = is_signed(step.source_type()) ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide);
  const auto least = sign ? llvm::APInt::getSignedMinValue(bits).sext(128) : llvm::APInt(128, 0);
  const auto most = sign ? llvm::APInt::getSignedMaxValue(bits).zext(128)
                         : llvm::APInt::getMaxValue(bits).zext(128);
  value = step.binary(llvm::Intrinsic::smax, value, llvm::ConstantInt::get(wide, least));
  return step.binary(llvm::Intrinsic::smin, value, llvm::ConstantInt::get(wide, most));
}

void emit_integer_conversion(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* value = step.machine.read(step.operand(1), step.source_type(), /*wider=*/true);
  value = step.has(Modifier::kSat) ? limited_integer(step, value) : value;
  llvm::Type* type = llvm_type(step.type(), b.getContext());
  step.out(is_signed(step.source_type()) ? b.CreateSExtOrTrunc(value, type)
                                         : b.CreateZExtOrTrunc(value, type));
}

/// The parts of a vector, lowest first, as one value; or the other way round.
void move_vector(Step& step, const Operand& parts, bool into_vector) {
  llvm::IRBuilder<>& b = step.b;
  const unsigned bits = bits_of(step.type());
  const unsigned each = bits / static_cast<unsigned>(parts.parts.size());
  const Type type = each == 32 ? Type::kB32 : each == 16 ? Type::kB16 : Type::kB8;
  if (each * parts.parts.size() != bits || bits_of(type) != each) {
    return step.machine.complain("so many parts do not make `" + name_of(step.type()) + "`");
  }
  llvm::Value* all = into_vector ? step.in(1) : step.constant(0);
  all = b.CreateBitCast(all, b.getIntNTy(bits));
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    if (into_vector) {
      step.machine.write(parts.parts[i],
                         b.CreateTrunc(b.CreateLShr(all, i * each), b.getIntNTy(each)));
    } else {
      llvm::Value* part = b.CreateZExt(step.machine.read(parts.parts[i], type), all->getType());
      all = b.CreateOr(all, b.CreateShl(part, i * each));
    }
  }
  if (!into_vector) {
    step.out(all);
  }
}

}  // namespace

void emit_cvt(Step& step) {
  if (converts_small_floats(step)) {
    return emit_small_conversion(step);
  }
  const bool from_float = is_float(step.source_type());
  const bool to_float = is_float(step.type()) || is_pair(step.type());
  if (is_pair(step.source_type()) || (is_pair(step.type()) && step.source_type() != Type::kF32)) {
    return step.machine.complain("this conversion is not supported on the CPU engine");
  }
  if (step.operands() != (is_pair(step.type()) ? 3 : 2)) {
    return step.machine.complain("this conversion has other operands");
  }
  if (from_float && to_float) {
    return step.out(converted_float(step));
  }
  if (!from_float && !to_float) {
    return emit_integer_conversion(step);
  }
  llvm::Value* value = step.machine.read(step.operand(1), step.source_type(), /*wider=*/true);
  if (to_float && step.has(Modifier::kSat)) {
    return step.machine.complain("this conversion is not supported on the CPU engine");
  }
  if (to_float) {
    return step.out(integer_to_float(step, value));
  }
  if (step.source_type() == Type::kBf16) {
    value = widen(step.b, value, Type::kBf16, Type::kF32);
  }
  value =
      step.has(Modifier::kFtz) && value->getType()->isFloatTy() ? flushed(step.b, value) : value;
  step.out(float_to_integer(step, value));
}

void emit_mov(Step& step) {
  if (step.operand(0).kind == Operand::Kind::kVector) {
    return move_vector(step, step.operand(0), /*into_vector=*/true);
  }
  if (step.operand(1).kind == Operand::Kind::kVector) {
    return move_vector(step, step.operand(1), /*into_vector=*/false);
  }
  const bool address =
      bits_of(step.type()) == 64 && step.machine.register_bits(step.operand(1)) == 64;
  step.out(address && !is_float(step.type())
               ? step.machine.pointer(step.operand(1), Space::kGeneric)
               : step.in(1));
}

void emit_cvta(Step& step) {
  const bool shared = step.modifiers().has_any(kShared);
  llvm::IRBuilder<>& b = step.b;
  llvm::Type* type = llvm_type(step.type(), b.getContext());
  if (!shared || !step.has(Modifier::kTo)) {
    // Shared memory to a generic address; in other memories, both are the same.
    return step.out(
        step.machine.pointer(step.operand(1), shared ? Space::kShared : Space::kGeneric));
  }
  llvm::Value* address = step.machine.pointer(step.operand(1), Space::kGeneric);
  llvm::Value* offset = b.CreateSub(b.CreatePtrToInt(address, b.getInt64Ty()),
                                    b.CreatePtrToInt(step.machine.shared_base(), b.getInt64Ty()));
  step.out(b.CreateTrunc(offset, type));
}

void emit_isspacep(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* address = step.machine.pointer(step.operand(1), Space::kGeneric);
  llvm::Value* offset = b.CreateSub(b.CreatePtrToInt(address, b.getInt64Ty()),
                                    b.CreatePtrToInt(step.machine.shared_base(), b.getInt64Ty()));
  llvm::Value* bytes =
      read_launch_value(b, {LaunchValue::Of::kBlock, cpu_abi::kSharedBytesOffset}, b.getInt64Ty());
  llvm::Value* inside = b.CreateICmpULT(offset, bytes);
  step.machine.write(step.operand(0),
                     step.modifiers().has_any(kShared) ? inside : b.CreateNot(inside));
}

}  // namespace ws::clang_engine::ptx
