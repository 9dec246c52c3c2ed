#include "runtime/compile/clang/shared_memory.h"

#include <algorithm>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ReplaceConstant.h>

#include "runtime/compile/clang/launch_values.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

constexpr std::uint64_t kDynamicAlignment = 16;

/// The module's shared variables; constant expressions over them become instructions.
std::vector<llvm::GlobalVariable*> shared_with_plain_users(llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> found;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getAddressSpace() == kSharedAddressSpace) {
      found.push_back(&variable);
    }
  }
  const std::vector<llvm::Constant*> constants(found.begin(), found.end());
  llvm::convertUsersOfConstantsToInstructions(constants);
  return found;
}

bool used_in(const llvm::GlobalVariable& variable, const llvm::Function& function) {
  return std::any_of(variable.user_begin(), variable.user_end(), [&](const llvm::User* user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return instruction != nullptr && instruction->getFunction() == &function;
  });
}

void replace_in(llvm::GlobalVariable& variable, llvm::Function& function, std::uint64_t offset) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Value* base = read_launch_value(builder, {LaunchValue::Of::kBlock, cpu_abi::kSharedOffset},
                                        builder.getPtrTy());
  llvm::Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
  llvm::Value* shared = builder.CreateAddrSpaceCast(address, variable.getType());
  variable.replaceUsesWithIf(shared, [&](const llvm::Use& use) {
    const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    return user != nullptr && user->getFunction() == &function;
  });
}

}  // namespace

bool is_dynamic_shared(const llvm::GlobalVariable& variable) {
  return variable.getAddressSpace() == kSharedAddressSpace && variable.isDeclaration();
}

std::string shared_outside(llvm::Module& module, const std::vector<std::string>& kernels) {
  for (llvm::GlobalVariable* variable : shared_with_plain_users(module)) {
    for (const llvm::User* user : variable->users()) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction == nullptr ||
          std::find(kernels.begin(), kernels.end(), instruction->getFunction()->getName()) ==
              kernels.end()) {
        return variable->getName().str();
      }
    }
  }
  return {};
}

std::int64_t place_shared_variables(llvm::Module& module, llvm::Function& kernel) {
  const std::vector<llvm::GlobalVariable*> variables = shared_with_plain_users(module);
  const llvm::DataLayout& layout = module.getDataLayout();
  std::uint64_t end = 0;
  for (llvm::GlobalVariable* variable : variables) {
    if (!is_dynamic_shared(*variable) && used_in(*variable, kernel)) {
      const std::uint64_t alignment =
          std::max<std::uint64_t>(variable->getAlign().valueOrOne().value(), kDynamicAlignment);
      const std::uint64_t offset = llvm::alignTo(end, alignment);
      replace_in(*variable, kernel, offset);
      end = offset + layout.getTypeAllocSize(variable->getValueType());
    }
  }
  end = llvm::alignTo(end, kDynamicAlignment);
  for (llvm::GlobalVariable* variable : variables) {
    if (is_dynamic_shared(*variable) && used_in(*variable, kernel)) {
      replace_in(*variable, kernel, end);
    }
  }
  return static_cast<std::int64_t>(end);
}

}  // namespace ws::clang_engine
