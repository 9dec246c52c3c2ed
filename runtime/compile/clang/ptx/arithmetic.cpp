// Arithmetic of integers and of numbers with a fraction.
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/number.h"

namespace ws::clang_engine::ptx {
namespace {

bool has_fraction(Type type) {
  return is_float(type) || is_pair(type);
}

bool is_signed_step(const Step& step) {
  return is_signed(step.source_type());
}

void refuse_rounding(Step& step) {
  if (step.modifiers().has_any({Modifier::kRn, Modifier::kRz, Modifier::kRm, Modifier::kRp})) {
    step.machine.complain("integers are not rounded");
  }
}

/// The whole product, with twice the bits.
llvm::Value* whole_product(Step& step, llvm::Value* a, llvm::Value* c) {
  llvm::Type* twice = step.b.getIntNTy(2 * bits_of(step.type()));
  const auto widened = [&](llvm::Value* value) {
    return is_signed_step(step) ? step.b.CreateSExt(value, twice) : step.b.CreateZExt(value, twice);
  };
  return step.b.CreateMul(widened(a), widened(c));
}

llvm::Value* upper_half(Step& step, llvm::Value* whole) {
  const unsigned bits = bits_of(step.type());
  return step.b.CreateTrunc(step.b.CreateLShr(whole, bits), step.b.getIntNTy(bits));
}

/// The part of the product that `.lo`, `.hi` or `.wide` names.
llvm::Value* product(Step& step) {
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  if (step.has(Modifier::kWide)) {
    return whole_product(step, a, c);
  }
  return step.has(Modifier::kHi) ? upper_half(step, whole_product(step, a, c))
                                 : step.b.CreateMul(a, c);
}

bool part_is_said(Step& step) {
  refuse_rounding(step);
  if (step.has(Modifier::kWide) && bits_of(step.type()) == 64) {
    step.machine.complain("`.wide` has no type of 128 bits");
    return false;
  }
  if (step.modifiers().has_any({Modifier::kLo, Modifier::kHi, Modifier::kWide})) {
    return true;
  }
  step.machine.complain("expected `.lo`, `.hi` or `.wide` before the type");
  return false;
}

void emit_extreme(Step& step, bool least) {
  if (!has_fraction(step.type())) {
    const llvm::Intrinsic::ID way = is_signed_step(step)
                                        ? (least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                                        : (least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
    return step.out(step.binary(way, step.in(1), step.in(2)));
  }
  const bool no_number_wins = step.has(Modifier::kNan);
  compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
    // They order -0 before +0, which minnum and maxnum need not do.
    llvm::Value* result =
        step.binary(least ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, in[0], in[1]);
    if (no_number_wins) {
      return result;
    }
    result = step.b.CreateSelect(step.b.CreateFCmpUNO(in[1], in[1]), in[0], result);
    return step.b.CreateSelect(step.b.CreateFCmpUNO(in[0], in[0]), in[1], result);
  });
}

/// A quotient or a remainder. The processor has none of the least number and -1, whose quotient is
/// that number again: by 1, both are the same but for a sign.
void emit_quotient(Step& step, llvm::Instruction::BinaryOps of_signed,
                   llvm::Instruction::BinaryOps of_unsigned) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  if (!is_signed_step(step)) {
    return step.out(b.CreateBinOp(of_unsigned, a, c));
  }
  llvm::Value* minus_one = b.CreateICmpEQ(c, llvm::ConstantInt::getSigned(c->getType(), -1));
  llvm::Value* other = b.CreateSelect(minus_one, llvm::ConstantInt::get(c->getType(), 1), c);
  llvm::Value* result = b.CreateBinOp(of_signed, a, other);
  step.out(b.CreateSelect(minus_one, b.CreateNeg(result), result));
}

}  // namespace

void emit_add(Step& step) {
  if (has_fraction(step.type())) {
    return compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
      llvm::Value* directed = rounded(step, cpu_abi::Rounded::kAdd, in);
      return directed != nullptr ? directed : step.b.CreateFAdd(in[0], in[1]);
    });
  }
  refuse_rounding(step);
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  step.out(step.has(Modifier::kSat) ? step.binary(llvm::Intrinsic::sadd_sat, a, c)
                                    : step.b.CreateAdd(a, c));
}

void emit_sub(Step& step) {
  if (has_fraction(step.type())) {
    return compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
      llvm::Value* directed = rounded(step, cpu_abi::Rounded::kSub, in);
      return directed != nullptr ? directed : step.b.CreateFSub(in[0], in[1]);
    });
  }
  refuse_rounding(step);
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  step.out(step.has(Modifier::kSat) ? step.binary(llvm::Intrinsic::ssub_sat, a, c)
                                    : step.b.CreateSub(a, c));
}

void emit_mul(Step& step) {
  if (has_fraction(step.type())) {
    return compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
      llvm::Value* directed = rounded(step, cpu_abi::Rounded::kMul, in);
      return directed != nullptr ? directed : step.b.CreateFMul(in[0], in[1]);
    });
  }
  if (part_is_said(step)) {
    step.out(product(step));
  }
}

void emit_fma(Step& step) {
  compute_numbers(step, Type::kF64, [&](const std::vector<llvm::Value*>& in) {
    llvm::Value* directed = rounded(step, cpu_abi::Rounded::kFma, in);
    return directed != nullptr ? directed
                               : step.b.CreateIntrinsic(llvm::Intrinsic::fma, {in[0]->getType()},
                                                        {in[0], in[1], in[2]});
  });
}

void emit_mad(Step& step) {
  if (has_fraction(step.type())) {
    return emit_fma(step);
  }
  if (!part_is_said(step)) {
    return;
  }
  llvm::Value* whole = product(step);
  const Operand& third = step.operand(3);
  const unsigned bits = whole->getType()->getIntegerBitWidth();
  llvm::Value* addend = step.machine.read(third, bits == 64   ? Type::kB64
                                                 : bits == 32 ? Type::kB32
                                                              : Type::kB16);
  step.out(step.has(Modifier::kSat) ? step.binary(llvm::Intrinsic::sadd_sat, whole, addend)
                                    : step.b.CreateAdd(whole, addend));
}

void emit_div(Step& step) {
  if (has_fraction(step.type())) {
    return compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
      llvm::Value* directed = rounded(step, cpu_abi::Rounded::kDiv, in);
      return directed != nullptr ? directed : step.b.CreateFDiv(in[0], in[1]);
    });
  }
  emit_quotient(step, llvm::Instruction::SDiv, llvm::Instruction::UDiv);
}

void emit_rem(Step& step) {
  emit_quotient(step, llvm::Instruction::SRem, llvm::Instruction::URem);
}

void emit_neg(Step& step) {
  if (has_fraction(step.type())) {
    return compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
      return step.b.CreateFNeg(in[0]);
    });
  }
  step.out(step.b.CreateNeg(step.in(1)));
}

void emit_abs(Step& step) {
  if (has_fraction(step.type())) {
    return compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
      return step.unary(llvm::Intrinsic::fabs, in[0]);
    });
  }
  step.out(step.binary(llvm::Intrinsic::abs, step.in(1), step.b.getFalse()));
}

void emit_min(Step& step) {
  emit_extreme(step, /*least=*/true);
}

void emit_max(Step& step) {
  emit_extreme(step, /*least=*/false);
}

}  // namespace ws::clang_engine::ptx
