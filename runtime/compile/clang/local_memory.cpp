#include "runtime/compile/clang/local_memory.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "runtime/compile/clang/launch_values.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// In an entry, this is the block's local memory, and in a thread function this thread's part of
/// it.
llvm::Value* entry_base(llvm::Function& function) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  const auto field = [&](unsigned offset, llvm::Type* type) {
    return read_launch_value(builder, {LaunchValue::Of::kBlock, offset}, type);
  };
  llvm::Value* base = field(cpu_abi::kLocalOffset, builder.getPtrTy());
  constexpr unsigned kThreadParameters = 5;
  if (function.arg_size() != kThreadParameters) {
    return base;  // A block function runs its threads one after another.
  }
  llvm::Value* width = field(cpu_abi::kBlockDimOffset, builder.getInt32Ty());
  llvm::Value* height = field(cpu_abi::kBlockDimOffset + 4, builder.getInt32Ty());
  llvm::Value* row =
      builder.CreateAdd(builder.CreateMul(function.getArg(3), height), function.getArg(2));
  llvm::Value* thread = builder.CreateAdd(builder.CreateMul(row, width), function.getArg(1));
  llvm::Value* offset = builder.CreateMul(builder.CreateZExt(thread, builder.getInt64Ty()),
                                          field(cpu_abi::kLocalStrideOffset, builder.getInt64Ty()));
  return builder.CreateGEP(builder.getInt8Ty(), base, offset);
}

unsigned site_of(const llvm::Function& function, SiteTable& sites) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!client_place(instruction.getDebugLoc()).region.empty()) {
      return sites.id_of(instruction);
    }
  }
  return sites.id_of(function.getEntryBlock().front());
}

/// In a called function, the worker keeps account of how deep the calls are.
llvm::Value* called_base(llvm::Function& function, std::uint64_t bytes, SiteTable& sites) {
  llvm::Module& module = *function.getParent();
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Type* word = builder.getInt64Ty();
  const llvm::FunctionCallee take = module.getOrInsertFunction(
      "ws_rt_local_take", builder.getPtrTy(), word, builder.getInt32Ty());
  const llvm::FunctionCallee give =
      module.getOrInsertFunction("ws_rt_local_give", builder.getVoidTy(), word);
  llvm::Value* size = builder.getInt64(bytes);
  llvm::CallInst* base =
      builder.CreateCall(take, {size, builder.getInt32(site_of(function, sites))});
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      call->setTailCallKind(llvm::CallInst::TCK_None);
    }
  }
  for (llvm::BasicBlock& block : function) {
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
      builder.SetInsertPoint(block.getTerminator());
      builder.CreateCall(give, {size});
    }
  }
  return base;
}

struct LocalPlace {
  llvm::AllocaInst* variable = nullptr;
  std::uint64_t offset = 0;
};

}  // namespace

bool is_entry(const llvm::Function& function) {
  return function.hasExternalLinkage() && !function.isDeclaration();
}

Result<std::uint64_t> move_to_local_memory(llvm::Function& function, SiteTable& sites,
                                           llvm::WeakTrackingVH& base) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<LocalPlace> places;
  std::uint64_t end = 0;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable == nullptr) {
      continue;
    }
    const auto size = variable->getAllocationSize(layout);
    if (!variable->isStaticAlloca() || !size || size->isScalable() || variable->isSwiftError()) {
      return fail(ErrorCode::kUnsupported,
                  "a local array whose size is not constant is not supported on the CPU engine");
    }
    const std::uint64_t alignment =
        std::min<std::uint64_t>(variable->getAlign().value(), cpu_abi::kLocalAlignment);
    end = llvm::alignTo(end, alignment);
    places.push_back({variable, end});
    end += size->getFixedValue();
    if (end > cpu_abi::kMaxLocalBytes) {
      return fail(ErrorCode::kUnsupported, "the local arrays of a thread take more than the " +
                                               std::to_string(cpu_abi::kMaxLocalBytes >> 10U) +
                                               " KiB that the CPU engine has for them");
    }
  }
  if (places.empty()) {
    return 0;
  }
  const std::uint64_t bytes = llvm::alignTo(end, cpu_abi::kLocalAlignment);
  base = is_entry(function) ? entry_base(function) : called_base(function, bytes, sites);
  llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(&*base)->getNextNode());
  for (const LocalPlace& place : places) {
    llvm::Value* at = builder.CreateConstGEP1_64(builder.getInt8Ty(), base, place.offset);
    if (at->getType() != place.variable->getType()) {
      at = builder.CreateAddrSpaceCast(at, place.variable->getType());
    }
    place.variable->replaceAllUsesWith(at);
  }
  for (const LocalPlace& place : places) {  // Not before: the builder may stand at one of them.
    place.variable->eraseFromParent();
  }
  return bytes;
}

}  // namespace ws::clang_engine
