// A thread's arrays, in local memory of its own as on a GPU: never on the stack of the processor.
#pragma once

#include <cstdint>

#include <llvm/IR/Function.h>
#include <llvm/IR/ValueHandle.h>

#include "runtime/base/result.h"
#include "runtime/compile/clang/sites.h"

namespace ws::clang_engine {

/// Gives each variable on the stack of `function` a place in local memory. Of a kernel that starts
/// where the Block says, of another function where the worker does when it is called.
///
/// @param base  Gets the pointer that the places were made from; null: there are none.
/// @return Bytes of local memory that the function takes.
/// @errors kUnsupported: an array whose size is only known when it runs, or more than
/// kMaxLocalBytes.
Result<std::uint64_t> move_to_local_memory(llvm::Function& function, SiteTable& sites,
                                           llvm::WeakTrackingVH& base);

/// Whether `function` is a thread or block function, which gets a Block, and not one that they
/// call.
bool is_entry(const llvm::Function& function);

}  // namespace ws::clang_engine
