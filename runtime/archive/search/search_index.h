// The index that search uses, kept up with every write: words, fingerprints, and how each kernel
// stands on each device. All of it can be made again from the rows; everything here runs in the
// caller's transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/archive/search/kernel_traits.h"
#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// A problem goes before its kernels; one that is indexed keeps its number.
Status index_problem(Connection& connection, const ProblemRow& problem);

/// Where in the index a kernel goes.
struct IndexPlace {
  std::int64_t seq = 0;     ///< Its number, which no kernel had; 0: the next one.
  std::int64_t states = 0;  ///< A sum of State, of its statuses that are put next.
};

struct KernelToIndex {
  const KernelRow* row = nullptr;
  const KernelTraits* traits = nullptr;  ///< Those of traits_of(*row).
  IndexPlace place{};
};

/// Adds kernels that are not indexed yet. @param kernels  All have a number, or none.
Status index_kernels(Connection& connection, const std::vector<KernelToIndex>& kernels);

/// After a status of the kernel changed: moves it, and its code, among what passed, what failed
/// and what was never judged.
Status refresh_states(Connection& connection, const std::string& kernel_id);

/// Takes a kernel out before its row goes.
Status unindex_kernel(Connection& connection, const std::string& kernel_id);

/// Runs `change`, which adds or removes labels of this kernel, and brings their words up to date.
Status change_labels(Connection& connection, const std::string& kernel_id,
                     const std::function<Status()>& change);

/// Empties the index and fills it from the rows, in the caller's transaction; see IndexRebuild.
Status rebuild_index(Connection& connection);

}  // namespace ws::store
