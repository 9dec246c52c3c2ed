// Compares the search index with the index that the rows give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/archive/store/sqlite.h"

namespace ws::store {

struct IndexCheck {
  std::uint64_t wrong = 0;            ///< Kernels, fingerprints and problems that differ.
  std::vector<std::string> findings;  ///< The first twenty: "krn_...: its words differ".
};

/// Compares words, fingerprints with their bands, statuses and states, of all kernels. Works
/// words and fingerprint of each out again, and keeps 24 bytes for it. Runs in the caller's
/// snapshot; makes temporary tables.
Result<IndexCheck> check_index(Connection& connection);

}  // namespace ws::store
