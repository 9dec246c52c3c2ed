// Accesses whose address may not be a multiple of what a GPU asks for: a float4 at an odd float.
#pragma once

#include <cstdint>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Alignment.h>

namespace ws::clang_engine {

/// The number of bytes, a power of two, that the address of an access must be a multiple of on a
/// GPU, where the code does not tell that it is one; 0 where it does, or where any address will do.
///
/// @param bytes     Those that the GPU accesses as one; 0 = unknown.
/// @param promised  The alignment that the source's types give to the address. An access of more
///                  bytes is made in parts.
std::uint64_t doubtful_alignment(const llvm::Value& address, std::uint64_t bytes,
                                 llvm::MaybeAlign promised, const llvm::DataLayout& layout);

}  // namespace ws::clang_engine
