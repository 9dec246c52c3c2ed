#include "runtime/archive/move/row_compare.h"

#include "runtime/base/hash.h"

namespace ws::store {

Status check_only_rows_of(Connection& source, Connection& target, const MovedTable& table,
                          const MoveNames& names, const std::function<void()>& on_row) {
  WS_TRY(MovedRows source_rows, MovedRows::open(source, table));
  WS_TRY(MovedRows target_rows, MovedRows::open(target, table));
  MovedRow known;
  for (MovedRow row;;) {
    WS_TRY(const bool more, target_rows.next(row));
    if (!more) {
      return {};
    }
    // Both have the same order, so what is skipped here comes no more in the target.
    do {
      WS_TRY(const bool found, source_rows.next(known));
      if (!found) {
        return fail(ErrorCode::kConflict,
                    "`" + names.target + "` has another archive: its " + name_of_row(table, row) +
                        " is not in `" + names.source + "`; nothing was changed",
                    "name an empty place by --to, or move the archive as it was before");
      }
      on_row();
    } while (known != row);
  }
}

Result<RowDigest> digest_of(Connection& connection, const MovedTable& table,
                            const std::function<void()>& on_row) {
  WS_TRY(MovedRows rows, MovedRows::open(connection, table));
  RowDigest digest{.rows = 0, .sha256 = sha256_hex("")};
  for (MovedRow row;;) {
    WS_TRY(const bool found, rows.next(row));
    if (!found) {
      return digest;
    }
    ++digest.rows;
    digest.sha256 = sha256_hex(digest.sha256 + bytes_of_row(row));
    on_row();
  }
}

Status check_same(const RowDigest& source, const RowDigest& target, const MovedTable& table,
                  const MoveNames& names) {
  if (source.rows == target.rows && source.sha256 == target.sha256) {
    return {};
  }
  return fail(ErrorCode::kIo,
              std::string("the rows of `") + table.name +
                  "` differ after the move: " + std::to_string(source.rows) + " in `" +
                  names.source + "`, " + std::to_string(target.rows) + " in `" + names.target + "`",
              "another program wrote into the target: empty it, and move once more");
}

}  // namespace ws::store
