// Accesses that a GPU makes as one: the parts of a float4 that is read or written whole.
#pragma once

#include <cstdint>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/BasicBlock.h>

namespace ws::clang_engine {

/// Finds the accesses of a block that belong together. LLVM takes a struct of four floats apart;
/// what is left of it is that the first part has the whole's alignment, and that the others lie
/// after it.
class WideAccesses {
 public:
  explicit WideAccesses(llvm::BasicBlock& block);

  /// A later part of another access.
  [[nodiscard]] bool continues(const llvm::Instruction& access) const;
  /// Bytes of all parts, of the first one; `own` where it is alone.
  [[nodiscard]] std::uint64_t bytes_of(const llvm::Instruction& access, std::uint64_t own) const;

 private:
  llvm::DenseMap<const llvm::Instruction*, std::uint64_t> bytes_;  ///< 0 of later parts.
};

}  // namespace ws::clang_engine
