// The steps of retarget() that come before kernels are taken apart.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/compile/clang/sites.h"
#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// Drops what belongs to NVPTX (triple, calling conventions, target attributes), makes everything
/// inlinable that is not recursive, inlines it, and simplifies: locals are in registers afterwards.
void prepare(llvm::Module& module, const std::vector<std::string>& kernels,
             llvm::TargetMachine& target);

/// Inline PTX, calls of unknown functions and of function pointers, unknown intrinsics: named with
/// their line in `outcome` (kUnsupported). True when there are none.
bool check_supported(const llvm::Module& module, CompileOutcome& outcome);

/// Gives each runtime call its place.
void number_sites(llvm::Module& module, SiteTable& sites);

}  // namespace ws::clang_engine
