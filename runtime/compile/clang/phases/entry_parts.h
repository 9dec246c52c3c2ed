// Parts of the functions by which the worker runs phases.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/phases/cut.h"

namespace ws::clang_engine {

/// An empty function u32 name(Block*, words..., args) beside the phases.
llvm::Function* new_entry(const Phase& first, const std::string& name, unsigned words);

/// The values of the unit that `phase` has as parameters.
/// @param from  cpu_abi::kUnitValuesOffset or cpu_abi::kUnitValuesBeforeOffset.
std::vector<llvm::Value*> load_unit_values(llvm::IRBuilder<>& builder, const Phase& phase,
                                           unsigned from);

/// Calls `phase` in an entry for the thread with this id and number.
llvm::CallInst* call_phase(llvm::IRBuilder<>& builder, const Phase& phase,
                           const std::array<llvm::Value*, 3>& id, llvm::Value* number, bool alone,
                           const std::vector<llvm::Value*>& of_unit);

/// A kernel can overwrite what its threads carry over stops. Where it goes on at a phase that does
/// not exist, the entry returns kPhaseMixed.
llvm::BasicBlock* make_trap(llvm::Function& entry);

}  // namespace ws::clang_engine
