// How the rows of the two archives of a move compare.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/archive/move/moved_tables.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws::store {

/// The archives as messages call them.
struct MoveNames {
  std::string source;
  std::string target;
};

/// Both connections are in a Snapshot. @param on_row  Hears of each row of the source that was
/// read.
/// @errors kConflict: the target has a row that the source has not; kIo.
Status check_only_rows_of(Connection& source, Connection& target, const MovedTable& table,
                          const MoveNames& names, const std::function<void()>& on_row);

struct RowDigest {
  std::int64_t rows = 0;
  std::string sha256;  ///< Over all rows in their order.
};

/// The connection is in a Snapshot. @errors kIo.
Result<RowDigest> digest_of(Connection& connection, const MovedTable& table,
                            const std::function<void()>& on_row);

/// @errors kIo: they differ.
Status check_same(const RowDigest& source, const RowDigest& target, const MovedTable& table,
                  const MoveNames& names);

}  // namespace ws::store
