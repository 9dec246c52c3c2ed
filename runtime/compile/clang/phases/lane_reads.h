// Shuffles of values that all lanes keep already: each lane reads what another one keeps, and
// nobody waits. A product of `wmma` has 36 shuffles of four values.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "runtime/compile/clang/phases/stops.h"
#include "runtime/compile/clang/phases/uniform.h"

namespace ws::clang_engine {

/// Makes calls of a function of its own from shuffles among all lanes of a warp, where between the
/// value's computation and the shuffle all lanes meet at another stop, and again before the value
/// is computed anew. Only where all lanes that pass the other stop come to the shuffle next: one
/// that some of them miss stays one, and is reported. Takes them out of `stops`, which have blocks
/// of their own.
/// @return  False: there are none, and nothing has changed.
bool make_lane_reads(llvm::Function& function, std::vector<Stop>& stops, Uniformity& uniformity,
                     llvm::FunctionAnalysisManager& analyses);

/// True for a value that other lanes read: each thread has a slot for it.
bool is_read_by_lanes(const llvm::Value& value);

/// The calls that read values of other lanes: their first argument is the value.
std::vector<llvm::CallInst*> lane_reads(llvm::Function& function);

/// The number in its block of the thread that is read, i64.
/// @param number  Of the thread that reads, i64.
llvm::Value* source_of_read(llvm::IRBuilder<>& builder, const llvm::CallInst& read,
                            llvm::Value* number);

/// The threads of the block, i64.
llvm::Value* threads_of_block(llvm::IRBuilder<>& builder);

}  // namespace ws::clang_engine
