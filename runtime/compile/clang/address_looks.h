// Kernels that compute with the number of an address: what they do may depend on where their memory
// lies.
#pragma once

#include <llvm/IR/Module.h>

namespace ws::clang_engine {

/// Whether a function of the module does more with an address than to access memory, to compare it
/// with another one of the same object or to take their difference, to ask whether two pointers are
/// the same, or for an alignment of up to 64 bytes. Call it before checks are inserted, which look
/// at addresses themselves.
bool looks_at_addresses(const llvm::Module& module);

}  // namespace ws::clang_engine
