// Bounds checks as calls that stand for them, until it is known who makes them: each thread before
// its access, or one piece of code for all threads of a unit (phases/guards.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <llvm/IR/IRBuilder.h>

#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {

/// One read or write of memory, and the object that it is to stay in.
struct BoundsCheck {
  llvm::Value* address = nullptr;  ///< i64, as all of these.
  llvm::Value* bytes = nullptr;
  llvm::Value* first = nullptr;   ///< The object's first byte.
  llvm::Value* length = nullptr;  ///< In bytes.
  cpu_abi::Object kind = cpu_abi::Object::kUnknown;
  std::uint32_t id = 0;  ///< As in ws_rt_oob.
  bool write = false;
  /// The address must be a multiple of it; 0: it need not be checked.
  std::uint32_t alignment = 0;
  std::array<llvm::Value*, 3> thread{};  ///< Its id, i32.
  std::uint32_t site = 0;

  [[nodiscard]] bool object_known() const { return kind != cpu_abi::Object::kUnknown; }
};

/// Adds a call that stands for the check.
void add_bounds_check(llvm::IRBuilder<>& builder, const BoundsCheck& check);

/// The check that `instruction` stands for, if it does.
std::optional<BoundsCheck> bounds_check(llvm::Instruction& instruction);

/// True for an access at a constant place inside a local array or a variable: it needs no check.
bool is_settled(const llvm::Value* address, const llvm::Value* bytes,
                const llvm::DataLayout& layout);

/// Makes the checks of `function` code that each thread runs.
void expand_bounds_checks(llvm::Function& function);

/// Takes the checks of `function` out.
void remove_bounds_checks(llvm::Function& function);

/// Takes out those of local arrays whose place has become known to be inside.
void remove_settled_checks(llvm::Function& function);

}  // namespace ws::clang_engine
