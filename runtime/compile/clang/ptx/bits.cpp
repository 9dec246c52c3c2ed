// Operations on the bits of registers.
#include "runtime/compile/clang/ptx/emit.h"

namespace ws::clang_engine::ptx {
namespace {

/// A number of bits up to that of a register; what is more counts as that.
llvm::Value* limited(Step& step, llvm::Value* count, unsigned most) {
  return step.binary(llvm::Intrinsic::umin, count, step.b.getInt32(most));
}

llvm::Value* resized(Step& step, llvm::Value* value, unsigned bits) {
  return step.b.CreateZExtOrTrunc(value, step.b.getIntNTy(bits));
}

/// So many ones, from the lowest bit on; `count` is 32 at most, or 64.
llvm::Value* ones(Step& step, llvm::Value* count, unsigned bits) {
  llvm::Type* wide = step.b.getIntNTy(2 * bits);
  llvm::Value* one = llvm::ConstantInt::get(wide, 1);
  llvm::Value* power = step.b.CreateShl(one, step.b.CreateZExt(count, wide));
  return resized(step, step.b.CreateSub(power, one), bits);
}

/// Shifts by as many bits as the type has, or more, leave nothing but the sign.
void emit_shift(Step& step, llvm::Instruction::BinaryOps way) {
  const unsigned bits = bits_of(step.type());
  llvm::Value* count = step.in(2, Type::kU32);
  llvm::Value* most = limited(step, count, bits - 1);
  llvm::Value* shifted = step.b.CreateBinOp(way, step.in(1), resized(step, most, bits));
  if (way != llvm::Instruction::AShr) {
    llvm::Value* beyond = step.b.CreateICmpUGE(count, step.b.getInt32(bits));
    shifted = step.b.CreateSelect(beyond, step.constant(0), shifted);
  }
  step.out(shifted);
}

/// A mode of prmt: for each of four choices, the bytes that it takes, four bits for each.
struct PermuteRow {
  Modifier modifier;
  std::uint64_t choices;  ///< 16 bits each, the first one lowest.
};

constexpr PermuteRow kPermuteRows[] = {
    {Modifier::kF4e, 0x6543543243213210}, {Modifier::kB4e, 0x0123701267015670},
    {Modifier::kRc8, 0x3333222211110000}, {Modifier::kEcl, 0x3333322232113210},
    {Modifier::kEcr, 0x3210221011100000}, {Modifier::kRc16, 0x3232101032321010},
};

/// The third operand of prmt as it chooses bytes without a mode.
llvm::Value* choices_of_permute(Step& step) {
  for (const PermuteRow& row : kPermuteRows) {
    if (step.has(row.modifier)) {
      llvm::Value* shift = step.b.CreateShl(step.b.CreateAnd(step.in(3), 3), 4);
      return step.b.CreateTrunc(
          step.b.CreateLShr(step.b.getInt64(row.choices), resized(step, shift, 64)),
          step.b.getInt32Ty());
    }
  }
  return step.in(3);
}

void emit_bitwise(Step& step, llvm::Instruction::BinaryOps way) {
  step.out(step.b.CreateBinOp(way, step.in(1), step.in(2)));
}

}  // namespace

void emit_and(Step& step) {
  emit_bitwise(step, llvm::Instruction::And);
}

void emit_or(Step& step) {
  emit_bitwise(step, llvm::Instruction::Or);
}

void emit_xor(Step& step) {
  emit_bitwise(step, llvm::Instruction::Xor);
}

void emit_not(Step& step) {
  step.out(step.b.CreateNot(step.in(1)));
}

void emit_cnot(Step& step) {
  llvm::Value* a = step.in(1);
  step.out(step.b.CreateZExt(step.b.CreateICmpEQ(a, step.constant(0)), a->getType()));
}

void emit_shl(Step& step) {
  emit_shift(step, llvm::Instruction::Shl);
}

void emit_shr(Step& step) {
  emit_shift(step, is_signed(step.type()) ? llvm::Instruction::AShr : llvm::Instruction::LShr);
}

void emit_shf(Step& step) {
  if (!step.modifiers().has_any({Modifier::kLeft, Modifier::kRight})) {
    return step.machine.complain("expected `.l` or `.r`");
  }
  llvm::Value* count = step.in(3, Type::kU32);
  count = step.has(Modifier::kWrap) ? step.b.CreateAnd(count, 31) : limited(step, count, 32);
  llvm::Value* wide = step.b.CreateOr(resized(step, step.in(1), 64),
                                      step.b.CreateShl(resized(step, step.in(2), 64), 32));
  llvm::Value* distance = resized(step, count, 64);
  step.out(step.has(Modifier::kLeft)
               ? resized(step, step.b.CreateLShr(step.b.CreateShl(wide, distance), 32), 32)
               : resized(step, step.b.CreateLShr(wide, distance), 32));
}

void emit_lop3(Step& step) {
  const auto* table = llvm::dyn_cast<llvm::ConstantInt>(step.in(4, Type::kB32));
  if (table == nullptr) {
    return step.machine.complain("operand `" + step.operand(4).name + "` must be a constant");
  }
  llvm::Value* result = step.b.getInt32(0);
  for (unsigned row = 0; row < 8; ++row) {
    if ((table->getZExtValue() >> row & 1U) == 0) {
      continue;
    }
    llvm::Value* term = step.b.getInt32(~0U);
    for (unsigned i = 0; i < 3; ++i) {
      llvm::Value* in = step.in(1 + i);
      term = step.b.CreateAnd(term, (row >> (2 - i) & 1U) != 0 ? in : step.b.CreateNot(in));
    }
    result = step.b.CreateOr(result, term);
  }
  step.out(result);
}

void emit_prmt(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* bytes =
      b.CreateOr(resized(step, step.in(1), 64), b.CreateShl(resized(step, step.in(2), 64), 32));
  llvm::Value* choices = choices_of_permute(step);
  llvm::Value* result = b.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    llvm::Value* choice = b.CreateLShr(choices, std::uint64_t{4} * i);
    llvm::Value* from = b.CreateShl(b.CreateAnd(choice, 7), 3);
    llvm::Value* byte = b.CreateTrunc(b.CreateLShr(bytes, resized(step, from, 64)), b.getInt8Ty());
    llvm::Value* of_sign = b.CreateICmpNE(b.CreateAnd(choice, 8), b.getInt32(0));
    byte = b.CreateSelect(of_sign, b.CreateAShr(byte, 7), byte);
    result = b.CreateOr(result, b.CreateShl(resized(step, byte, 32), std::uint64_t{8} * i));
  }
  step.out(result);
}

void emit_bfe(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  const unsigned bits = bits_of(step.type());
  llvm::Value* begin = limited(step, b.CreateAnd(step.in(2, Type::kU32), 255), bits);
  llvm::Value* length = limited(step, b.CreateAnd(step.in(3, Type::kU32), 255), bits);
  const unsigned twice = 2 * bits;
  llvm::Type* wide = b.getIntNTy(twice);
  const bool sign = is_signed(step.type());
  llvm::Value* a = sign ? b.CreateSExt(step.in(1), wide) : b.CreateZExt(step.in(1), wide);
  llvm::Value* field = b.CreateLShr(a, resized(step, begin, twice));
  // To the upper end and back: the field's highest bit is its sign.
  llvm::Value* left = resized(step, b.CreateSub(b.getInt32(twice), length), twice);
  llvm::Value* none = b.CreateICmpEQ(length, b.getInt32(0));
  left = b.CreateSelect(none, llvm::ConstantInt::get(wide, 0), left);
  llvm::Value* upper = b.CreateShl(field, left);
  llvm::Value* result = sign ? b.CreateAShr(upper, left) : b.CreateLShr(upper, left);
  step.out(b.CreateSelect(none, step.constant(0), resized(step, result, bits)));
}

void emit_bfi(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  const unsigned bits = bits_of(step.type());
  llvm::Value* begin = limited(step, b.CreateAnd(step.in(3, Type::kU32), 255), bits);
  llvm::Value* length = limited(step, b.CreateAnd(step.in(4, Type::kU32), 255), bits);
  llvm::Value* distance = resized(step, begin, 2 * bits);
  llvm::Value* mask = b.CreateShl(resized(step, ones(step, length, bits), 2 * bits), distance);
  mask = resized(step, mask, bits);
  llvm::Value* field = b.CreateShl(resized(step, step.in(1), 2 * bits), distance);
  llvm::Value* kept = b.CreateAnd(step.in(2), b.CreateNot(mask));
  step.out(b.CreateOr(kept, b.CreateAnd(resized(step, field, bits), mask)));
}

void emit_bfind(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  const unsigned bits = bits_of(step.type());
  llvm::Value* a = step.in(1);
  if (is_signed(step.type())) {
    a = b.CreateXor(a, b.CreateAShr(a, bits - 1));
  }
  llvm::Value* zeros = resized(step, step.binary(llvm::Intrinsic::ctlz, a, b.getFalse()), 32);
  llvm::Value* found =
      step.has(Modifier::kShiftamt) ? zeros : b.CreateSub(b.getInt32(bits - 1), zeros);
  llvm::Value* none = b.CreateICmpEQ(a, step.constant(0));
  step.machine.write(step.operand(0), b.CreateSelect(none, b.getInt32(~0U), found));
}

void emit_brev(Step& step) {
  step.out(step.unary(llvm::Intrinsic::bitreverse, step.in(1)));
}

void emit_clz(Step& step) {
  llvm::Value* zeros = step.binary(llvm::Intrinsic::ctlz, step.in(1), step.b.getFalse());
  step.machine.write(step.operand(0), resized(step, zeros, 32));
}

void emit_popc(Step& step) {
  step.machine.write(step.operand(0),
                     resized(step, step.unary(llvm::Intrinsic::ctpop, step.in(1)), 32));
}

}  // namespace ws::clang_engine::ptx
