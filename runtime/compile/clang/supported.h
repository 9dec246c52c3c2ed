// Finds features that a kernel's source uses and the CPU engine lacks.
#pragma once

#include <string>

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// Puts an error at the instruction's place in the client's text, before all others.
void report_at(const llvm::Instruction& at, std::string message, CompileVerdict verdict,
               CompileOutcome& outcome);

/// Calls of unknown functions and of function pointers, jumps to computed addresses, intrinsics
/// that do more than compute: named with their line in `outcome` (kUnsupported). True when there
/// are none.
bool check_supported(const llvm::Module& module, CompileOutcome& outcome);

}  // namespace ws::clang_engine
