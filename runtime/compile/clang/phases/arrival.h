// The values that a thread brings to a stop, and the one that it gets there: its record as code.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/phases/stops.h"

namespace ws::clang_engine {

/// Where a phase runs.
struct ThreadPlace {
  llvm::Value* number = nullptr;  ///< The thread's in its block, i64.
  llvm::Value* alone = nullptr;   ///< As the parameter of a Phase.
  bool same_way = false;          ///< As in Phase.
};

/// Stores the operands of a stop before its call.
/// @param call  In the phase; `stop` is the original.
void store_operands(const Stop& stop, llvm::CallInst& call, const ThreadPlace& place);

/// The result of `stop`, behind it.
llvm::Value* load_result(llvm::IRBuilder<>& builder, const Stop& stop, const ThreadPlace& place);

}  // namespace ws::clang_engine
