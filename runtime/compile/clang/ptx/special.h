// The special registers of PTX.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Value.h>

namespace ws::clang_engine::ptx {

class Machine;

/// The value of `%tid.x` and the like; null: there is none by this name.
llvm::Value* special_register(Machine& machine, llvm::StringRef name);

/// The thread's number in its warp.
llvm::Value* lane_of_thread(Machine& machine);

}  // namespace ws::clang_engine::ptx
