// From retargeted IR to an object file for this machine's processor.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/base/result.h"
#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// "x86-64-v4", "x86-64-v3" or "x86-64-v2": the highest level this processor has.
std::string host_level();

/// A target machine for host_level(), position-independent code. @errors kInternal.
Result<std::unique_ptr<llvm::TargetMachine>> host_target();

/// Runs LLVM's O3 pipeline.
void optimise(llvm::Module& module, llvm::TargetMachine& target);

/// Adds the instructions of `function` by class: load, store, float, integer, ...
void count_instructions(const llvm::Function& function,
                        std::map<std::string, std::int64_t>& counts);

/// @errors kInternal: the target cannot write object files.
Result<llvm::SmallVector<char, 0>> emit_object(llvm::Module& module, llvm::TargetMachine& target);

}  // namespace ws::clang_engine
