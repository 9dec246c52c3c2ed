// Filling the search index from the rows: of an archive that an older version of this program
// made, or one whose index is wrong.
#include "runtime/archive/kernel_words.h"
#include "runtime/archive/operation_index.h"
#include "runtime/archive/search_index.h"
#include "runtime/archive/standing.h"
#include "runtime/archive/store.h"

namespace ws::store {
namespace {

/// Runs `each` with every row of a query.
template <typename Each>
Status for_each_row(Connection& connection, const char* sql, const Each& each) {
  WS_TRY(Statement row, connection.prepare(sql));
  while (true) {
    WS_TRY(const bool more, row.step());
    if (!more) {
      return {};
    }
    WS_CHECK(each(row));
  }
}

Status clear_index(Connection& connection) {
  WS_CHECK(clear_words(connection));
  return connection.execute(
      "DELETE FROM standings; DELETE FROM indexed_kernels; DELETE FROM fingerprint_bands; "
      "DELETE FROM fingerprints; DELETE FROM problem_facts; DELETE FROM operation_sets; "
      "DELETE FROM operation_bands");
}

}  // namespace

Status rebuild_index(Connection& connection) {
  WS_CHECK(clear_index(connection));
  WS_CHECK(for_each_row(connection, "SELECT id, json FROM problems ORDER BY rowid",
                        [&](const Statement& row) {
                          return index_problem(connection, {row.text(0), {}, row.text(1), {}});
                        }));
  WS_CHECK(for_each_row(connection, "SELECT id, name, problem_id, json FROM kernels ORDER BY rowid",
                        [&](const Statement& row) {
                          const KernelRow kernel = {row.text(0), row.text(1), row.text(2),
                                                    {},          row.text(3), {}};
                          return index_kernel(connection, kernel, traits_of(kernel));
                        }));
  WS_CHECK(for_each_row(
      connection, "SELECT kernel_id FROM lifted_kernels",
      [&](const Statement& row) { return index_operations(connection, row.text(0)); }));
  // Archives of the first version had no labels.
  WS_CHECK(for_each_row(connection, "SELECT kernel_id, name FROM refs", [&](const Statement& row) {
    return put_label(connection, {row.text(0), "ref", row.text(1)});
  }));
  return for_each_row(
      connection, "SELECT DISTINCT kernel_id, device FROM evidence",
      [&](const Statement& row) { return refresh_standing(connection, row.text(0), row.text(1)); });
}

}  // namespace ws::store
