// The grammar of an inline `asm`'s text: statements, declarations of registers, scopes.
#pragma once

#include <optional>

#include <llvm/ADT/StringRef.h>

#include "runtime/compile/clang/ptx/syntax.h"

namespace ws::clang_engine::ptx {

/// @param text  As LLVM keeps it: arguments are `$0`.
/// @return Nothing where `complaint` says why.
std::optional<Program> parse(llvm::StringRef text, Complaint& complaint);

}  // namespace ws::clang_engine::ptx
