#include "runtime/archive/search/operation_index.h"

#include "runtime/archive/store/store.h"
#include "runtime/search/fingerprint.h"

namespace ws::store {
namespace {

/// The number of a set, added when it is new.
Result<std::int64_t> operation_set(Connection& connection, const OperationCounts& counts) {
  const std::string text = operations_text(counts);
  WS_TRY(Statement known, connection.prepare("SELECT id FROM operation_sets WHERE operations = ?"));
  WS_TRY(const bool found, known.bind(text).step());
  if (found) {
    return known.integer(0);
  }
  WS_TRY(Statement insert, connection.prepare("INSERT INTO operation_sets(operations) VALUES(?)"));
  WS_TRY(const std::int64_t id, insert.bind(text).insert("id"));
  WS_TRY(Statement band, connection.prepare("INSERT INTO operation_bands(band, operation_set) "
                                            "VALUES(?, ?) ON CONFLICT DO NOTHING"));
  const auto keys = bands_of(signature_of(operation_runs(counts)));
  WS_CHECK(run_all(band, keys.size(), [&](Statement& statement, std::size_t i) {
    statement.bind(std::int64_t{keys.at(i)}).bind(id);
  }));
  return id;
}

/// Takes a set out that no kernel has.
Status drop_unused(Connection& connection, std::int64_t set) {
  WS_TRY(Statement used, connection.prepare("SELECT 1 FROM indexed_kernels WHERE operation_set = ? "
                                            "AND operation_set <> 0 LIMIT 1"));
  WS_TRY(const bool found, used.bind(set).step());
  WS_TRY(Statement row, connection.prepare("SELECT operations FROM operation_sets WHERE id = ?"));
  WS_TRY(const bool known, row.bind(set).step());
  if (found || !known) {
    return {};
  }
  WS_TRY(Statement band, connection.prepare("DELETE FROM operation_bands WHERE band = ? "
                                            "AND operation_set = ?"));
  const OperationCounts counts = operations_from_text(row.text(0));
  for (const std::uint32_t key : bands_of(signature_of(operation_runs(counts)))) {
    WS_CHECK(band.reset().bind(std::int64_t{key}).bind(set).run());
  }
  WS_TRY(Statement remove, connection.prepare("DELETE FROM operation_sets WHERE id = ?"));
  return remove.bind(set).run();
}

Status move_to_set(Connection& connection, const std::string& kernel_id, std::int64_t set) {
  WS_TRY(Statement row,
         connection.prepare("SELECT operation_set FROM indexed_kernels WHERE kernel_id = ?"));
  WS_TRY(const bool indexed, row.bind(kernel_id).step());
  const std::int64_t before = indexed ? row.integer(0) : set;
  if (before == set) {
    return {};
  }
  WS_TRY(Statement update,
         connection.prepare("UPDATE indexed_kernels SET operation_set = ? WHERE kernel_id = ?"));
  WS_CHECK(update.bind(set).bind(kernel_id).run());
  return drop_unused(connection, before);
}

}  // namespace

Result<OperationCounts> operations_of(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT operations FROM lifted_kernels WHERE kernel_id = ?"));
  WS_TRY(const bool found, row.bind(kernel_id).step());
  return found ? operations_from_text(row.text(0)) : OperationCounts();
}

Status index_operations(Connection& connection, const std::string& kernel_id) {
  WS_TRY(const OperationCounts counts, operations_of(connection, kernel_id));
  std::int64_t set = 0;
  if (!counts.empty()) {
    WS_TRY(set, operation_set(connection, counts));
  }
  return move_to_set(connection, kernel_id, set);
}

Status set_operations(Connection& connection, const std::string& kernel_id,
                      const OperationCounts& counts) {
  WS_CHECK(require_kernel(connection, kernel_id));
  WS_TRY(
      Statement insert,
      connection.prepare("INSERT INTO lifted_kernels(kernel_id, operations) VALUES(?, ?) "
                         "ON CONFLICT(kernel_id) DO UPDATE SET operations = excluded.operations"));
  WS_CHECK(insert.bind(kernel_id).bind(operations_text(counts)).run());
  return index_operations(connection, kernel_id);
}

Status remove_operations(Connection& connection, const std::string& kernel_id) {
  WS_CHECK(move_to_set(connection, kernel_id, 0));
  WS_TRY(Statement remove, connection.prepare("DELETE FROM lifted_kernels WHERE kernel_id = ?"));
  return remove.bind(kernel_id).run();
}

}  // namespace ws::store
