#include "runtime/compile/clang/launch_values.h"

#include <map>
#include <string>

#include <llvm/IR/InstIterator.h>

#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

// A dot: no function of a source can have such a name.
constexpr llvm::StringRef kPrefix = "ws.launch.";

llvm::StringRef word_of(LaunchValue::Of of) {
  switch (of) {
    case LaunchValue::Of::kBlock:
      return "block";
    case LaunchValue::Of::kBound:
      return "bound";
    case LaunchValue::Of::kArgument:
      break;
  }
  return "argument";
}

llvm::Value* load_at(llvm::IRBuilder<>& builder, llvm::Value* base, unsigned offset,
                     llvm::Type* type) {
  return builder.CreateLoad(type,
                            builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset));
}

llvm::Value* load(llvm::IRBuilder<>& builder, llvm::Function& function, LaunchValue value,
                  llvm::Type* type) {
  llvm::Value* block = function.getArg(0);
  llvm::Value* arguments = function.getArg(function.arg_size() - 1);
  constexpr unsigned kWord = 8;
  switch (value.of) {
    case LaunchValue::Of::kBlock:
      return load_at(builder, block, value.at, type);
    case LaunchValue::Of::kBound:
      return load_at(builder,
                     load_at(builder, block, cpu_abi::kArgBoundsOffset, builder.getPtrTy()),
                     kWord * value.at, type);
    case LaunchValue::Of::kArgument:
      break;
  }
  return load_at(builder, load_at(builder, arguments, kWord * value.at, builder.getPtrTy()), 0,
                 type);
}

}  // namespace

llvm::CallInst* read_launch_value(llvm::IRBuilder<>& builder, LaunchValue value, llvm::Type* type) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  stream << kPrefix << word_of(value.of) << '.' << value.at << '.' << *type;
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  return builder.CreateCall(function);
}

std::optional<LaunchValue> launch_value_of(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  if (!name.consume_front(kPrefix)) {
    return std::nullopt;
  }
  const auto [word, rest] = name.split('.');
  LaunchValue value;
  for (const auto of :
       {LaunchValue::Of::kBlock, LaunchValue::Of::kBound, LaunchValue::Of::kArgument}) {
    value.of = word == word_of(of) ? of : value.of;
  }
  return rest.split('.').first.getAsInteger(10, value.at) ? std::nullopt : std::optional(value);
}

void load_launch_values(llvm::Function& function) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  std::map<const llvm::Function*, llvm::Value*> loaded;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    const auto value = callee == nullptr ? std::nullopt : launch_value_of(*callee);
    if (!value) {
      continue;
    }
    llvm::Value*& known = loaded[callee];
    if (known == nullptr) {
      known = load(builder, function, *value, call->getType());
    }
    if (builder.GetInsertPoint() == call->getIterator()) {
      builder.SetInsertPoint(call->getNextNode());
    }
    call->replaceAllUsesWith(known);
    call->eraseFromParent();
  }
}

}  // namespace ws::clang_engine
