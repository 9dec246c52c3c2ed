// Places where a thread lets the others of its block go first: after it has read a word of shared
// or global memory, plainly or by an atomic, and before it writes the same word. In a launch that
// interleaves threads all of them have read before one writes, so an update that can be lost is. An
// update by one atomic is read and written at once.
#pragma once

#include <llvm/IR/Function.h>

namespace ws::clang_engine {

/// The worker's function that such a place calls.
inline constexpr const char* kYield = "ws_rt_yield";

/// Adds the calls to a kernel whose device functions are inlined. A thread may yield with a lock in
/// its hand: those that wait for it let it go on (waits.h).
void insert_yields(llvm::Function& kernel);

/// Takes the calls out again, where threads run one after another.
void remove_yields(llvm::Function& function);

}  // namespace ws::clang_engine
