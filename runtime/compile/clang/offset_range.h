// Bounds how far an index can lead, by what the code computes alone: promises of the source are
// not trusted, and must be forgotten (promises.h) before it is asked.
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Value.h>

namespace ws::clang_engine {

/// The largest magnitude of an integer, of each lane of a vector, read as signed; nothing when no
/// bound below 2^62 is known. A loop's counter is bounded by the number of its rounds.
std::optional<std::uint64_t> most_of(llvm::Value& value, llvm::ScalarEvolution& evolution);

}  // namespace ws::clang_engine
