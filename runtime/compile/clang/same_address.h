// Whether two instructions use the same word of memory.
#pragma once

#include <llvm/IR/Value.h>

namespace ws::clang_engine {

/// True where both addresses are computed alike from the same values and words: they are equal, but
/// for words that are written between the two. False says nothing.
bool is_same_address(const llvm::Value& one, const llvm::Value& other);

}  // namespace ws::clang_engine
