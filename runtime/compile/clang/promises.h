// Promises that the code generator may build on.
#pragma once

#include <llvm/IR/Function.h>

namespace ws::clang_engine {

/// A promise about values, by the source or by the optimiser on its behalf, may be false: no later
/// step may build on it.
void forget_promises(llvm::Function& function);

/// Gives each number of the function that is undefined one value, the same wherever it is read:
/// what a branch has found of it then holds behind the branch.
void settle_numbers(llvm::Function& function);

/// How the code generator is to treat the function.
void set_safe_attributes(llvm::Function& function);

}  // namespace ws::clang_engine
