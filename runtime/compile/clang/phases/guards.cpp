#include "runtime/compile/clang/phases/guards.h"

#include <llvm/IR/InstIterator.h>

#include "runtime/compile/clang/bounds_check.h"

namespace ws::clang_engine {

llvm::Value* make_guard(llvm::IRBuilder<>& builder, const Phase& phase, UnitRanges unit) {
  Ranges ranges(builder, phase, std::move(unit));
  llvm::Value* all = builder.getTrue();
  for (llvm::Instruction& instruction : llvm::instructions(*phase.function)) {
    const auto check = bounds_check(instruction);
    if (!check) {
      continue;
    }
    const llvm::BasicBlock& at = *instruction.getParent();
    const auto address = ranges.of(*check->address, at);
    const auto bytes = ranges.of(*check->bytes, at);
    const auto first = ranges.of(*check->first, at);
    const auto length = ranges.of(*check->length, at);
    if (!check->object_known() || check->alignment != 0 || !address || !bytes || !first ||
        !length) {
      return nullptr;
    }
    llvm::Value* end = builder.CreateAdd(first->low, length->low);
    llvm::Value* inside = builder.CreateAnd(
        builder.CreateICmpSGE(address->low, first->high),
        builder.CreateICmpSLE(builder.CreateAdd(address->high, bytes->high), end));
    // A length below zero is a huge one.
    inside = builder.CreateAnd(inside, builder.CreateICmpSGE(bytes->low, builder.getInt64(0)));
    all = builder.CreateAnd(all, builder.CreateOr(inside, ranges.nobody_at(at)));
  }
  return all;
}

}  // namespace ws::clang_engine
