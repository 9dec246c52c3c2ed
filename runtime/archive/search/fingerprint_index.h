// The fingerprints in the search index: each source once, however many kernels have it, with the
// sum of the states of these kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/archive/search/kernel_traits.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

struct CodeFingerprint {
  std::int64_t id = 0;      ///< 0: of a source without a token.
  std::int64_t states = 0;  ///< A sum of State.
};

/// The source of a kernel that is about to be indexed.
struct CodeToIndex {
  const CodeTraits* traits = nullptr;  ///< Null: it has no token.
  std::int64_t states = 0;             ///< The kernel's sum of State.
};

/// The fingerprints of these sources, in their order; those that are new are added, with the states
/// of these kernels. One that is known keeps its states.
Result<std::vector<CodeFingerprint>> fingerprints_of(Connection& connection,
                                                     const std::vector<CodeToIndex>& sources);

/// Brings the states of a fingerprint up to date, or takes it out when no kernel has it.
Status refresh_fingerprint(Connection& connection, std::int64_t fingerprint);

}  // namespace ws::store
