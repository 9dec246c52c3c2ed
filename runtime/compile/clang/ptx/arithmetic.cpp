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

/// PTX cuts sums of integers only where they have type s32.
void check_limits(Step& step) {
  if (step.has(Modifier::kSat) && step.type() != Type::kS32) {
    step.machine.complain("`.sat` needs type `.s32`");
  }
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
  check_limits(step);
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

llvm::Value* extended_24(Step& step, std::size_t index) {
  llvm::Value* shifted = step.b.CreateShl(step.in(index), 8);
  return is_signed_step(step) ? step.b.CreateAShr(shifted, 8) : step.b.CreateLShr(shifted, 8);
}

/// The lower 32 bits of a product of 48, or the upper ones.
llvm::Value* product_24(Step& step) {
  llvm::Value* a = extended_24(step, 1);
  llvm::Value* c = extended_24(step, 2);
  if (!step.has(Modifier::kHi)) {
    return step.b.CreateMul(a, c);
  }
  return step.b.CreateTrunc(step.b.CreateLShr(whole_product(step, a, c), 16), step.b.getInt32Ty());
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
    return step.binary(no_number_wins
                           ? (least ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum)
                           : (least ? llvm::Intrinsic::minnum : llvm::Intrinsic::maxnum),
                       in[0], in[1]);
  });
}

/// Sums of products of parts, each of so many bits.
llvm::Value* dot(Step& step, llvm::Value* a, unsigned a_bits, llvm::Value* c) {
  llvm::IRBuilder<>& b = step.b;
  const auto part = [&](llvm::Value* value, unsigned bits, unsigned at, Type type) {
    llvm::Value* shifted =
        b.CreateTrunc(b.CreateLShr(value, std::uint64_t{at} * bits), b.getIntNTy(bits));
    return is_signed(type) ? b.CreateSExt(shifted, b.getInt32Ty())
                           : b.CreateZExt(shifted, b.getInt32Ty());
  };
  llvm::Value* sum = step.in(3, Type::kB32);
  for (unsigned i = 0; i < 32 / a_bits; ++i) {
    sum = b.CreateAdd(
        sum, b.CreateMul(part(a, a_bits, i, step.type()), part(c, 8, i, step.source_type())));
  }
  return sum;
}

}  // namespace

void emit_add(Step& step) {
  if (has_fraction(step.type())) {
    return compute_numbers(step, Type::kF32, [&](const std::vector<llvm::Value*>& in) {
      llvm::Value* directed = rounded(step, cpu_abi::Rounded::kAdd, in);
      return directed != nullptr ? directed : step.b.CreateFAdd(in[0], in[1]);
    });
  }
  check_limits(step);
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
  check_limits(step);
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
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  step.out(is_signed_step(step) ? step.b.CreateSDiv(a, c) : step.b.CreateUDiv(a, c));
}

void emit_rem(Step& step) {
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  step.out(is_signed_step(step) ? step.b.CreateSRem(a, c) : step.b.CreateURem(a, c));
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

void emit_mul24(Step& step) {
  step.out(product_24(step));
}

void emit_mad24(Step& step) {
  step.out(step.b.CreateAdd(product_24(step), step.in(3)));
}

void emit_sad(Step& step) {
  llvm::Value* a = step.in(1);
  llvm::Value* c = step.in(2);
  llvm::Value* less =
      is_signed_step(step) ? step.b.CreateICmpSLT(a, c) : step.b.CreateICmpULT(a, c);
  llvm::Value* distance = step.b.CreateSelect(less, step.b.CreateSub(c, a), step.b.CreateSub(a, c));
  step.out(step.b.CreateAdd(step.in(3), distance));
}

void emit_dp4a(Step& step) {
  step.out(dot(step, step.in(1, Type::kB32), 8, step.in(2, Type::kB32)));
}

void emit_dp2a(Step& step) {
  llvm::Value* bytes = step.in(2, Type::kB32);
  bytes = step.has(Modifier::kHi) ? step.b.CreateLShr(bytes, 16) : bytes;
  step.out(dot(step, step.in(1, Type::kB32), 16, bytes));
}

}  // namespace ws::clang_engine::ptx
