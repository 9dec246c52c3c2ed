// Arithmetic of parts of words: products of 24 bits, of bytes and of halves, and distances.
#include "runtime/compile/clang/ptx/emit.h"

namespace ws::clang_engine::ptx {
namespace {

llvm::Value* extended_24(Step& step, std::size_t index) {
  llvm::Value* shifted = step.b.CreateShl(step.in(index), 8);
  return is_signed(step.source_type()) ? step.b.CreateAShr(shifted, 8)
                                       : step.b.CreateLShr(shifted, 8);
}

/// The lower 32 bits of a product of 48, or the upper ones.
llvm::Value* product_24(Step& step) {
  llvm::Value* a = extended_24(step, 1);
  llvm::Value* c = extended_24(step, 2);
  if (!step.has(Modifier::kHi)) {
    return step.b.CreateMul(a, c);
  }
  const auto widened = [&](llvm::Value* value) {
    return is_signed(step.type()) ? step.b.CreateSExt(value, step.b.getInt64Ty())
                                  : step.b.CreateZExt(value, step.b.getInt64Ty());
  };
  llvm::Value* whole = step.b.CreateMul(widened(a), widened(c));
  return step.b.CreateTrunc(step.b.CreateLShr(whole, 16), step.b.getInt32Ty());
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
      is_signed(step.type()) ? step.b.CreateICmpSLT(a, c) : step.b.CreateICmpULT(a, c);
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
