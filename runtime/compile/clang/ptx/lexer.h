// The words of an inline `asm`'s text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/ADT/StringRef.h>

#include "runtime/compile/clang/ptx/syntax.h"

namespace ws::clang_engine::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    kWord,      ///< An instruction with its modifiers, a register, a special register.
    kArgument,  ///< `$0`: text is its number.
    kNumber,
    kMark,  ///< One character.
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string text;
  unsigned line = 1;
};

/// The tokens, the last one of kind kEnd.
/// @param text  As LLVM keeps it: arguments are `$0`, a dollar sign `$$`.
/// @param complaint  Gets a message where something is no token.
std::vector<Token> split_into_tokens(llvm::StringRef text, Complaint& complaint);

}  // namespace ws::clang_engine::ptx
