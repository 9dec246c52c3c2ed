// __shared__ variables become offsets into the block's shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

namespace ws::clang_engine {

inline constexpr unsigned kSharedAddressSpace = 3;

/// A declaration `extern __shared__ T x[]`: memory whose size the launch gives.
bool is_dynamic_shared(const llvm::GlobalVariable& variable);

/// The name of a shared variable used outside `kernels` (in a function that could not be inlined),
/// or "". Constant expressions over shared variables become instructions.
std::string shared_outside(llvm::Module& module, const std::vector<std::string>& kernels);

/// Replaces the shared variables that `kernel` uses.
/// Layout: static variables, then dynamic memory at the next multiple of 16 bytes.
/// @return Static shared memory in bytes.
std::int64_t place_shared_variables(llvm::Module& module, llvm::Function& kernel);

}  // namespace ws::clang_engine
