// Compares the index of what lifted kernels compute with what is stored of them.
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
