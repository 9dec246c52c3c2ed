// The steps of retarget() that come before kernels are split.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/compile/clang/sites.h"
#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// Drops what belongs to NVPTX (triple, calling conventions, target attributes), makes everything
/// inlinable that is not recursive, inlines it, and simplifies: locals are in registers afterwards.
/// A checked build forgets first what the source promises about itself.
void prepare(llvm::Module& module, const std::vector<std::string>& kernels, Build build,
             llvm::TargetMachine& target);

/// Gives each runtime call its place.
void number_sites(llvm::Module& module, SiteTable& sites);

}  // namespace ws::clang_engine
