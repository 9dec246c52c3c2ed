// Promises that the code generator may build on.
#pragma once

#include <llvm/IR/Function.h>

namespace ws::clang_engine {

/// A promise about values, by the source or by the optimiser on its behalf, may be false: no later
/// step may build on it.
void forget_promises(llvm::Function& function);

/// How the code generator is to treat the function.
void set_safe_attributes(llvm::Function& function);

}  // namespace ws::clang_engine
