// Loops in which a thread waits for a word of memory that another thread writes: a lock, a flag, a
// turn. No thread of the engine is interrupted, so the way back to such a loop's start lets the
// others go on. Loops without a look at such a word are left as they are.
#pragma once

#include <set>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace ws::clang_engine {

/// The worker's function that such a way back calls.
inline constexpr const char* kLookAgain = "ws_rt_look_again";

/// Adds the calls to a function.
///
/// A look is a load of volatile memory or an atomic one, in any loop. In a loop that nothing
/// counts it is also a compare-and-swap that always expects the same, an exchange whose value is
/// always the same, and, where the loop has a fence, a plain load that always reads one word.
void insert_waits(llvm::Function& function);

/// The loads of a function that a thread repeats until another one has written: in a loop that
/// nothing counts, what they read decides how it goes on.
std::set<const llvm::LoadInst*> awaited_loads(llvm::Function& function);

}  // namespace ws::clang_engine
