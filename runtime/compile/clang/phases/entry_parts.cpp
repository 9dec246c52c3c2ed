#include "runtime/compile/clang/phases/entry_parts.h"

#include <llvm/IR/Module.h>

#include "runtime/compile/clang/phases/phases.h"
#include "runtime/compile/clang/phases/records.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {

llvm::Function* new_entry(const Phase& first, const std::string& name, unsigned words) {
  llvm::LLVMContext& context = first.function->getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  std::vector<llvm::Type*> types = {pointer};
  types.insert(types.end(), words, llvm::Type::getInt32Ty(context));
  types.push_back(pointer);
  auto* entry =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getInt32Ty(context), types, false),
                             llvm::GlobalValue::ExternalLinkage, name, first.function->getParent());
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  entry->addFnAttr(kPhasesAttribute);
  return entry;
}

std::vector<llvm::Value*> load_unit_values(llvm::IRBuilder<>& builder, const Phase& phase,
                                           unsigned from) {
  std::vector<llvm::Value*> values;
  for (const auto& [type, slot] : phase.of_unit) {
    llvm::Type* stored = type_in_slot(type);
    llvm::Value* loaded = builder.CreateLoad(stored, unit_slot(builder, from, slot.offset));
    values.push_back(stored == type ? loaded : builder.CreateTrunc(loaded, type));
  }
  return values;
}

llvm::CallInst* call_phase(llvm::IRBuilder<>& builder, const Phase& phase,
                           const std::array<llvm::Value*, 3>& id, llvm::Value* number, bool alone,
                           const std::vector<llvm::Value*>& of_unit) {
  llvm::Function* entry = builder.GetInsertBlock()->getParent();
  std::vector<llvm::Value*> arguments = {entry->getArg(0),      id[0], id[1], id[2], number,
                                         builder.getInt1(alone)};
  arguments.insert(arguments.end(), of_unit.begin(), of_unit.end());
  arguments.push_back(entry->getArg(entry->arg_size() - 1));
  return builder.CreateCall(phase.function, arguments);
}

llvm::BasicBlock* make_trap(llvm::Function& entry) {
  llvm::BasicBlock* block = llvm::BasicBlock::Create(entry.getContext(), "no_such_phase", &entry);
  llvm::IRBuilder<> builder(block);
  builder.CreateRet(builder.getInt32(cpu_abi::kPhaseMixed));
  return block;
}

}  // namespace ws::clang_engine
