#include "runtime/compile/clang/bounds_check.h"

#include <vector>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "runtime/compile/clang/shared_memory.h"

namespace ws::clang_engine {
namespace {

// A dot: no function of a source can have such a name.
constexpr const char* kCheck = "ws.check";

// The arguments of its calls.
enum Place : std::uint8_t {
  kAddress,
  kBytes,
  kFirst,
  kLength,
  kKind,
  kId,
  kWrite,
  kAlignment,
  kThread,  ///< x, y, z.
  kSite = kThread + 3,
};

llvm::CallInst* as_check(llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kCheck ? call : nullptr;
}

std::vector<llvm::CallInst*> checks_in(llvm::Function& function) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::CallInst* call = as_check(instruction)) {
      found.push_back(call);
    }
  }
  return found;
}

void remove(llvm::CallInst& call) {
  const std::vector<llvm::WeakTrackingVH> arguments(call.arg_begin(), call.arg_end());
  call.eraseFromParent();
  for (const llvm::WeakTrackingVH& argument : arguments) {
    if (argument != nullptr) {
      llvm::RecursivelyDeleteTriviallyDeadInstructions(argument);
    }
  }
}

/// Calls the worker's function: `arguments`, then the thread, then the site.
void report(llvm::IRBuilder<>& builder, const char* name, std::vector<llvm::Value*> arguments,
            const BoundsCheck& check) {
  arguments.insert(arguments.end(), check.thread.begin(), check.thread.end());
  arguments.push_back(builder.getInt32(check.site));
  std::vector<llvm::Type*> types;
  types.reserve(arguments.size());
  for (const llvm::Value* argument : arguments) {
    types.push_back(argument->getType());
  }
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  builder.CreateCall(module.getOrInsertFunction(name, type), arguments)->setDoesNotThrow();
}

void expand(llvm::CallInst& call) {
  const BoundsCheck check = *bounds_check(call);
  llvm::IRBuilder<> builder(&call);
  llvm::Value* write = builder.getInt32(check.write ? 1 : 0);
  llvm::Value* alignment = builder.getInt32(check.alignment);
  if (!check.object_known()) {
    report(builder, "ws_rt_check", {check.address, check.bytes, write, alignment}, check);
    return;
  }
  llvm::Value* offset = builder.CreateSub(check.address, check.first);
  llvm::Value* beyond = builder.CreateICmpUGT(offset, check.length);
  llvm::Value* left = builder.CreateSub(check.length, offset);
  llvm::Value* bad = builder.CreateOr(beyond, builder.CreateICmpULT(left, check.bytes));
  if (check.alignment != 0) {
    llvm::Value* odd = builder.CreateAnd(check.address, builder.getInt64(check.alignment - 1));
    bad = builder.CreateOr(bad, builder.CreateICmpNE(odd, builder.getInt64(0)));
  }
  llvm::Instruction* cold = llvm::SplitBlockAndInsertIfThen(bad, &call, /*Unreachable=*/true);
  builder.SetInsertPoint(cold);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  report(builder, "ws_rt_oob",
         {builder.getInt32(static_cast<std::uint32_t>(check.kind)), builder.getInt32(check.id),
          offset, check.length, check.bytes, write, alignment},
         check);
}

}  // namespace

void add_bounds_check(llvm::IRBuilder<>& builder, const BoundsCheck& check) {
  const std::vector<llvm::Value*> arguments = {
      check.address,
      check.bytes,
      check.first,
      check.length,
      builder.getInt32(static_cast<std::uint32_t>(check.kind)),
      builder.getInt32(check.id),
      builder.getInt32(check.write ? 1 : 0),
      builder.getInt32(check.alignment),
      check.thread[0],
      check.thread[1],
      check.thread[2],
      builder.getInt32(check.site),
  };
  std::vector<llvm::Type*> types;
  types.reserve(arguments.size());
  for (const llvm::Value* argument : arguments) {
    types.push_back(argument->getType());
  }
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(kCheck, type).getCallee());
  // It may not return, so no access is made before its check.
  function->setOnlyAccessesInaccessibleMemory();
  function->setDoesNotThrow();
  builder.CreateCall(function, arguments)->setDoesNotThrow();
}

std::optional<BoundsCheck> bounds_check(llvm::Instruction& instruction) {
  const llvm::CallInst* call = as_check(instruction);
  if (call == nullptr) {
    return std::nullopt;
  }
  const auto word = [&](Place place) {
    return static_cast<std::uint32_t>(
        llvm::cast<llvm::ConstantInt>(call->getArgOperand(place))->getZExtValue());
  };
  return BoundsCheck{
      .address = call->getArgOperand(kAddress),
      .bytes = call->getArgOperand(kBytes),
      .first = call->getArgOperand(kFirst),
      .length = call->getArgOperand(kLength),
      .kind = static_cast<cpu_abi::Object>(word(kKind)),
      .id = word(kId),
      .write = word(kWrite) != 0,
      .alignment = word(kAlignment),
      .thread = {call->getArgOperand(kThread), call->getArgOperand(kThread + 1),
                 call->getArgOperand(kThread + 2)},
      .site = word(kSite),
  };
}

void expand_bounds_checks(llvm::Function& function) {
  for (llvm::CallInst* call : checks_in(function)) {
    expand(*call);
    call->eraseFromParent();
  }
}

void remove_bounds_checks(llvm::Function& function) {
  for (llvm::CallInst* call : checks_in(function)) {
    remove(*call);
  }
}

bool is_settled(const llvm::Value* address, const llvm::Value* bytes,
                const llvm::DataLayout& layout) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  std::int64_t offset = 0;
  const llvm::Value* base =
      llvm::GetPointerBaseWithConstantOffset(address->stripPointerCasts(), offset, layout);
  base = base->stripPointerCasts();
  std::optional<std::uint64_t> size;
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(base)) {
    if (const auto allocated = local->getAllocationSize(layout)) {
      size = allocated->getFixedValue();
    }
  } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
             variable != nullptr && !is_dynamic_shared(*variable)) {
    size = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
  }
  return length != nullptr && size.has_value() && offset >= 0 &&
         static_cast<std::uint64_t>(offset) + length->getZExtValue() <= *size;
}

void remove_settled_checks(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::CallInst* call : checks_in(function)) {
    const BoundsCheck check = *bounds_check(*call);
    const auto* address = llvm::dyn_cast<llvm::PtrToIntInst>(check.address);
    if (check.alignment == 0 && address != nullptr &&
        is_settled(address->getPointerOperand(), check.bytes, layout)) {
      remove(*call);
    }
  }
}

}  // namespace ws::clang_engine
