// The numbers of an inline `asm`'s text.
#pragma once

#include <optional>

#include <llvm/ADT/StringRef.h>

#include "runtime/compile/clang/ptx/syntax.h"

namespace ws::clang_engine::ptx {

/// `12`, `0x1fU`, `0f3F800000`, `1.5`; nothing where the text is no number.
std::optional<Operand> number_of(llvm::StringRef text);

}  // namespace ws::clang_engine::ptx
