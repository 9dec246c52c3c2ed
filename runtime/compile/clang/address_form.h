// An address as a sum: what has to be forced into the region, and what cannot lead far from it.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Value.h>

namespace ws::clang_engine {

/// `value` * `times` * `factor` bytes.
struct AddressTerm {
  llvm::Value* value = nullptr;  ///< An integer, or a vector of them, read as signed.
  llvm::Value* times = nullptr;  ///< Null: 1.
  std::int64_t factor = 0;
};

/// root + the far terms + the near terms + offset, modulo 2^64.
struct AddressForm {
  llvm::Value* root = nullptr;  ///< A pointer, or a vector of them.
  std::vector<AddressTerm> far;
  std::vector<AddressTerm> near;
  std::int64_t offset = 0;
};

/// Takes the address apart, only as far as something in it may be unbounded, so that addresses
/// which differ by little have the same root and the same far terms.
///
/// @param most_near  The bytes that near terms and offset together may lead away, either way.
AddressForm form_of(llvm::Value* address, std::uint64_t most_near,
                    llvm::ScalarEvolution& evolution);

}  // namespace ws::clang_engine
