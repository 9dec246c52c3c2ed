// Finds features that a kernel's source uses and the CPU engine lacks.
#pragma once

#include <llvm/IR/Module.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// Inline PTX, calls of unknown functions and of function pointers, jumps to computed addresses,
/// intrinsics that do more than compute: named with their line in `outcome` (kUnsupported). True
/// when there are none.
bool check_supported(const llvm::Module& module, CompileOutcome& outcome);

}  // namespace ws::clang_engine
