// The profile build: each stretch of code tells the worker that a thread enters it, and each access
// tells its address, so that the worker can run a warp's threads side by side and count.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/compile/clang/sites.h"

namespace ws::clang_engine {

/// LLVM's target-independent simplification: constant loops unrolled, arrays in registers, loop
/// invariants out of loops, as a GPU's compiler has them. Run it first: what is counted is the code
/// as it is when the calls are put in, and they keep it from changing much afterwards.
void simplify_for_profile(llvm::Module& module, llvm::TargetMachine& target);

/// Run it after inlining, before bounds checks and before kernels are split.
/// @param kernels  Their functions, in the order of Image::entries.
ProfileMap insert_profile_calls(llvm::Module& module, const std::vector<std::string>& kernels,
                                SiteTable& sites);

}  // namespace ws::clang_engine
