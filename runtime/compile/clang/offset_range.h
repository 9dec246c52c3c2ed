// Bounds how far the steps of an address can lead, by the forms of their indices alone: promises of
// the source are not trusted.
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>

namespace ws::clang_engine {

/// The most bytes, in either direction, between the pointer that `step` starts from and its result;
/// nothing when no bound below 2^63 is known.
std::optional<std::uint64_t> most_offset(const llvm::GEPOperator& step,
                                         const llvm::DataLayout& layout);

}  // namespace ws::clang_engine
