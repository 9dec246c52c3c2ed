// Which atomics and fences are for the threads of one block only: a GPU lets other blocks see them
// whenever it likes.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace ws::clang_engine {

/// Called with 1 before what a source, or a header, does for its block only, and with 0 behind it.
inline constexpr const char* kBlockScope = "ws_rt_block_scope";

/// Notes the scope of what lies between such calls, and takes the calls out. Run it before anything
/// is moved.
void mark_block_scopes(llvm::Module& module);

[[nodiscard]] bool has_block_scope(const llvm::Instruction& instruction);

}  // namespace ws::clang_engine
