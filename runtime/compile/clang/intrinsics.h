// The LLVM intrinsics that a kernel may use.
#pragma once

#include <llvm/IR/Intrinsics.h>

namespace ws::clang_engine {

/// It computes, or hints, and touches neither memory nor the state of the processor.
bool only_computes(llvm::Intrinsic::ID intrinsic);

/// It says something about memory and does nothing: gone when code is made.
bool only_marks(llvm::Intrinsic::ID intrinsic);

/// It copies or sets memory, or reads or writes the lanes of a vector: confine() knows its
/// addresses.
bool accesses_memory(llvm::Intrinsic::ID intrinsic);

}  // namespace ws::clang_engine
