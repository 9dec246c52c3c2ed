// The tables that a move of an archive copies, and their rows as both engines have them. All other
// tables are the search index, which is made again, or belong to one place alone: leases of
// servers, the queue of nodes, shared compiled kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws::store {

/// A text that may be missing is never an empty one.
enum class MovedKind : std::uint8_t { kText, kMissingText, kInteger, kReal };

struct MovedColumn {
  const char* name;
  MovedKind kind;
};

struct MovedTable {
  const char* name;
  const char* row;        ///< A row as messages call it.
  std::size_t named_by;   ///< The column that tells a row from the others in messages.
  const char* order;      ///< Columns that order the rows, parents first, alike in both engines.
  const char* number;     ///< The column whose values the database chooses; null: there is none.
  const char* condition;  ///< The rows that are moved; null: all of them.
  std::span<const MovedColumn> columns;
};

/// A table comes after those that its rows refer to.
std::span<const MovedTable> moved_tables();

using MovedValue = std::variant<std::int64_t, double, std::string>;
using MovedRow = std::vector<MovedValue>;  ///< One value for each column of its table.

/// The rows of a table in their order, read in a Snapshot of the caller.
class MovedRows {
 public:
  /// @param table  Outlives it, as the connection does. @errors kIo.
  static Result<MovedRows> open(Connection& connection, const MovedTable& table);

  /// The next row. @return False: there is none. @errors kIo.
  Result<bool> next(MovedRow& row);

 private:
  MovedRows(Statement rows, const MovedTable& table)
      : rows_(std::move(rows)),
        table_(&table) {}

  Statement rows_;
  const MovedTable* table_;
};

/// @errors kIo.
Result<std::int64_t> count_moved_rows(Connection& connection, const MovedTable& table);

/// Adds a row, in the caller's transaction. @return False: one with its key is there.
/// @errors kIo; kInvalidArgument: the engine does not take a text of it.
Result<bool> add_moved_row(Connection& connection, const MovedTable& table, const MovedRow& row);

/// Numbers that the database chooses from now on are higher than those of the rows; in the caller's
/// transaction. @errors kIo.
Status set_next_number(Connection& connection, const MovedTable& table);

/// "kernel krn_0123".
std::string name_of_row(const MovedTable& table, const MovedRow& row);

/// Changes with each value of a row, and with their order. Equal in both engines.
std::string bytes_of_row(const MovedRow& row);

}  // namespace ws::store
