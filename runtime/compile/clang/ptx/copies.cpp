// cp.async: copies that PTX lets be late. They are made at once here, which it allows, too; a group
// is there before it is waited for.
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/memory.h"

namespace ws::clang_engine::ptx {
namespace {

/// The constant that an operand must be; nothing where `complain` says so.
std::optional<std::uint64_t> constant(Step& step, std::size_t index) {
  const auto* value = llvm::dyn_cast<llvm::ConstantInt>(step.in(index, Type::kB32));
  if (value == nullptr) {
    step.machine.complain("operand `" + step.operand(index).name + "` must be a constant");
    return std::nullopt;
  }
  return value->getZExtValue();
}

void copy_all(Step& step, llvm::Value* to, llvm::Value* from, std::uint64_t bytes) {
  llvm::Type* type = step.b.getIntNTy(static_cast<unsigned>(8 * bytes));
  const llvm::Align alignment(bytes);
  step.b.CreateAlignedStore(step.b.CreateAlignedLoad(type, from, alignment), to, alignment);
}

/// So many bytes of the source, and zeros behind them.
void copy_some(Step& step, llvm::Value* to, llvm::Value* from, std::uint64_t bytes,
               llvm::Value* given) {
  llvm::IRBuilder<>& b = step.b;
  const llvm::Align alignment(bytes);
  llvm::Value* count =
      step.binary(llvm::Intrinsic::umin, given, b.getInt32(static_cast<std::uint32_t>(bytes)));
  b.CreateMemSet(to, b.getInt8(0), bytes, alignment);
  step.machine.when(b.CreateICmpNE(count, b.getInt32(0)), [&] {
    b.CreateMemCpy(to, alignment, from, alignment, b.CreateZExt(count, b.getInt64Ty()));
  });
}

/// Operand 3: a number of bytes, or a predicate that is true where the source is not read.
llvm::Value* bytes_of_source(Step& step, std::uint64_t bytes) {
  if (step.machine.register_bits(step.operand(3)) != 1) {
    return step.in(3, Type::kB32);
  }
  return step.b.CreateSelect(step.in(3, Type::kPred), step.b.getInt32(0),
                             step.b.getInt32(static_cast<std::uint32_t>(bytes)));
}

}  // namespace

void emit_cp_async(Step& step) {
  const auto bytes = constant(step, 2);
  const bool cg = step.has(Modifier::kCg);
  if (!cg && !step.has(Modifier::kCa)) {
    return step.machine.complain("expected `.ca` or `.cg`");
  }
  if (!bytes || (*bytes != 16 && (cg || (*bytes != 4 && *bytes != 8)))) {
    return step.machine.complain(cg ? "`.cg` copies 16 bytes" : "`.ca` copies 4, 8 or 16 bytes");
  }
  if (!step.has(Modifier::kGlobal) ||
      !step.modifiers().has_any({Modifier::kShared, Modifier::kSharedCta})) {
    return step.machine.complain("expected `.shared.global`");
  }
  const std::size_t operands = step.operands() - (step.has(Modifier::kL2CacheHint) ? 1 : 0);
  if (operands < 3 || operands > 4) {
    return step.machine.complain("`.L2::cache_hint` and a cache policy need each other");
  }
  llvm::Value* to = step.machine.pointer(step.operand(0), Space::kShared);
  llvm::Value* from = step.machine.pointer(step.operand(1), Space::kGeneric);
  if (operands == 3) {
    copy_all(step, to, from, *bytes);
  } else {
    copy_some(step, to, from, *bytes, bytes_of_source(step, *bytes));
  }
}

void emit_cp_async_wait_group(Step& step) {
  constant(step, 0);
}

}  // namespace ws::clang_engine::ptx
