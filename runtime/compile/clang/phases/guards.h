// Bounds checks for all threads of a unit at once.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/phases/ranges.h"

namespace ws::clang_engine {

/// Code that finds whether no bounds check of `phase` can fail for any thread of a unit: then they
/// run it without checks. It may say no where all are right.
/// @return  An i1; null: the code cannot tell.
llvm::Value* make_guard(llvm::IRBuilder<>& builder, const Phase& phase, UnitRanges unit);

}  // namespace ws::clang_engine
