// What search finds kernels by, kept up with every write: words, fingerprints, and how each kernel
// stands on each device. All of it can be made again from the rows; runs in the caller's
// transaction.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/archive/archive.h"
#include "runtime/archive/sqlite.h"

namespace ws::store {

/// Of a row that was just added. A problem goes before its kernels.
Status index_problem(Connection& connection, const ProblemRow& problem);
Status index_kernel(Connection& connection, const KernelRow& kernel);

/// @param row  Of `labels`, just added.
Status index_label(Connection& connection, std::int64_t row, const std::string& text);

/// What is stored and not indexed: by an older version of this program.
Status index_missing(Connection& connection);

}  // namespace ws::store
