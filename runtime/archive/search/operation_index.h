// Lifted kernels by their operations. Kernels with equal histograms share a set, and bands of its
// signature lead to the sets that are worth a comparison. Everything runs in the caller's
// transaction.
#pragma once

#include <string>

#include "runtime/archive/store/sqlite.h"
#include "runtime/search/operations.h"

namespace ws::store {

/// See Archive::set_operations.
Status set_operations(Connection& connection, const std::string& kernel_id,
                      const OperationCounts& counts);

/// As they are stored; none where the kernel was never lifted, or its row is damaged.
Result<OperationCounts> operations_of(Connection& connection, const std::string& kernel_id);

/// Brings an indexed kernel into the set of its operations.
Status index_operations(Connection& connection, const std::string& kernel_id);

/// Removes what is indexed of a kernel that is deleted.
Status remove_operations(Connection& connection, const std::string& kernel_id);

}  // namespace ws::store
