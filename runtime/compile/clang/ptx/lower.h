// Inline PTX becomes LLVM IR, so that the engine's checks see what it does.
//
// Each `asm` is split into words (lexer.h), read as statements (parser.h), compared with the table
// of instructions (table.h), and made into code (machine.h, emit.h).
#pragma once

#include <llvm/IR/Module.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// Replaces each `asm` of the module. What cannot be replaced is named with its line in `outcome`.
/// @return True when all were.
bool lower_inline_ptx(llvm::Module& module, CompileOutcome& outcome);

}  // namespace ws::clang_engine
