// Compares the index of lifted kernels' operations with the operations that are stored.
#pragma once

#include <string>
#include <vector>

#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// The mistakes that were found: a kernel's id, or the number of a set or a band, each with what
/// differs.
struct WrongOperations {
  std::string what;
  std::string wrong;
};

/// Runs in the caller's snapshot.
Result<std::vector<WrongOperations>> check_operations(Connection& connection);

}  // namespace ws::store
