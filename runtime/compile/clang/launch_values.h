// The values that a launch gives to a kernel: its arguments, the block's ids and sizes, the places
// of memory. While a module is optimised, each is a call of a function without effects, so that its
// load cannot be moved, merged or mistaken for one of the kernel's own; confine() turns the calls
// into loads.
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace ws::clang_engine {

struct LaunchValue {
  enum class Of : std::uint8_t {
    kBlock,     ///< At `at` bytes of the cpu_abi::Block.
    kBound,     ///< Word `at` of Block::arg_bounds.
    kArgument,  ///< Argument `at`.
  };

  Of of = Of::kBlock;
  unsigned at = 0;
};

/// A call that stands for the value, of type `type`. Only in kernels.
llvm::CallInst* read_launch_value(llvm::IRBuilder<>& builder, LaunchValue value, llvm::Type* type);

/// The value that a call of `function` stands for; nothing when it is another function.
std::optional<LaunchValue> launch_value_of(const llvm::Function& function);

/// Replaces the calls in `function` by loads at its start: once for each value.
/// @param function  Its first parameter is the Block, its last one the arguments.
void load_launch_values(llvm::Function& function);

}  // namespace ws::clang_engine
