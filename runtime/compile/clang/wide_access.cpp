#include "runtime/compile/clang/wide_access.h"

#include <algorithm>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace ws::clang_engine {
namespace {

/// The widest access of one instruction.
constexpr std::uint64_t kWidest = 16;

/// A load or a store of registers.
struct Part {
  bool simple = false;
  bool store = false;
  const llvm::Value* base = nullptr;
  std::int64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
};

Part part_of(llvm::Instruction& instruction) {
  Part part;
  auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  if ((load == nullptr || !load->isSimple()) && (store == nullptr || !store->isSimple())) {
    return part;
  }
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  llvm::Value* const address =
      load != nullptr ? load->getPointerOperand() : store->getPointerOperand();
  llvm::Type* const type = load != nullptr ? load->getType() : store->getValueOperand()->getType();
  part.simple = true;
  part.store = store != nullptr;
  part.base = llvm::GetPointerBaseWithConstantOffset(address, part.offset, layout);
  part.bytes = layout.getTypeStoreSize(type).getFixedValue();
  part.alignment = (load != nullptr ? load->getAlign() : store->getAlign()).value();
  return part;
}

}  // namespace

WideAccesses::WideAccesses(llvm::BasicBlock& block) {
  for (auto at = block.begin(); at != block.end(); ++at) {
    const Part first = part_of(*at);
    if (!first.simple || bytes_.contains(&*at)) {
      continue;
    }
    std::uint64_t total = first.bytes;
    const std::uint64_t most = std::min(first.alignment, kWidest);
    for (auto next = std::next(at); next != block.end() && total < most; ++next) {
      const Part part = part_of(*next);
      if (!part.simple && next->mayReadOrWriteMemory()) {
        break;  // A barrier, a call: what is after it is another access.
      }
      const bool follows = part.simple && part.store == first.store && part.base == first.base &&
                           part.offset == first.offset + static_cast<std::int64_t>(total) &&
                           total + part.bytes <= most;
      if (follows) {
        total += part.bytes;
        bytes_[&*next] = 0;
      }
    }
    bytes_[&*at] = total;
  }
}

bool WideAccesses::continues(const llvm::Instruction& access) const {
  const auto at = bytes_.find(&access);
  return at != bytes_.end() && at->second == 0;
}

std::uint64_t WideAccesses::bytes_of(const llvm::Instruction& access, std::uint64_t own) const {
  const auto at = bytes_.find(&access);
  return at == bytes_.end() ? own : at->second;
}

}  // namespace ws::clang_engine
