// The id on the x axis of the first thread of a warp. Where the warps of a block lie along that
// axis and begin at multiples of 32, `threadIdx.x < 64` and `threadIdx.x / 32` follow from it, so
// all threads of a warp agree on them, and on their ids on the other axes.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace ws::clang_engine {

/// The threads of a warp.
inline constexpr unsigned kWarpLanes = 32;

/// Computes what follows from the first thread's id from that id alone, which is a call
/// (is_warp_start) until replace_warp_starts().
/// @param function  A thread function whose units are warps.
/// @return  Whether there was any such value: then the function is right for aligned warps only.
bool insert_warp_starts(llvm::Function& function);

/// True for the id of the first thread of the warp of its operand.
bool is_warp_start(const llvm::Value& value);

/// Puts a value in the place of each such call.
/// @param start  Makes it for the x of a thread, before the call.
void replace_warp_starts(
    llvm::Function& entry,
    llvm::function_ref<llvm::Value*(llvm::IRBuilder<>& builder, llvm::Value* x)> start);

}  // namespace ws::clang_engine
