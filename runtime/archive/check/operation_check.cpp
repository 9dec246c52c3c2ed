#include "runtime/archive/check/operation_check.h"

#include <set>

#include "runtime/search/fingerprint.h"
#include "runtime/search/operations.h"

namespace ws::store {
namespace {

/// Each kernel that is lifted, or is said to be, is in the set of its operations.
Status check_kernels(Connection& connection, std::vector<WrongOperations>& wrong) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT k.kernel_id, coalesce(l.operations, ''), "
                            "coalesce(s.operations, ''), k.operation_set FROM indexed_kernels k "
                            "LEFT JOIN lifted_kernels l ON l.kernel_id = k.kernel_id "
                            "LEFT JOIN operation_sets s ON s.id = k.operation_set "
                            "WHERE l.kernel_id IS NOT NULL OR k.operation_set <> 0"));
  WS_CHECK(for_each_row(rows, [&](const Statement& row) {
    const OperationCounts counts = operations_from_text(row.text(1));
    const bool none = counts.empty() && row.integer(3) == 0;
    if (!none && operations_text(counts) != row.text(2)) {
      wrong.push_back({row.text(0), "its operations differ"});
    }
  }));
  return {};
}

Status check_sets(Connection& connection, std::vector<WrongOperations>& wrong) {
  WS_TRY(Statement all, connection.prepare("SELECT count(*) FROM operation_bands"));
  WS_TRY([[maybe_unused]] const bool counted, all.step());
  std::int64_t left = all.integer(0);
  WS_TRY(Statement band, connection.prepare("SELECT 1 FROM operation_bands WHERE band = ? "
                                            "AND operation_set = ?"));
  WS_TRY(Statement rows, connection.prepare("SELECT id, operations FROM operation_sets"));
  WS_CHECK(for_each_row(rows, [&](const Statement& row) -> Status {
    const auto keys = bands_of(signature_of(operation_runs(operations_from_text(row.text(1)))));
    const std::set<std::uint32_t> distinct(keys.begin(), keys.end());
    std::size_t met = 0;
    for (const std::uint32_t key : distinct) {
      WS_TRY(const bool found, band.reset().bind(std::int64_t{key}).bind(row.integer(0)).step());
      met += found ? 1U : 0U;
    }
    left -= static_cast<std::int64_t>(met);
    if (met != distinct.size()) {
      wrong.push_back({"operation set " + std::to_string(row.integer(0)), "its bands differ"});
    }
    return {};
  }));
  if (left != 0) {
    wrong.push_back({"operation bands", std::to_string(left) + " are of no set"});
  }
  return {};
}

}  // namespace

Result<std::vector<WrongOperations>> check_operations(Connection& connection) {
  std::vector<WrongOperations> wrong;
  WS_CHECK(check_kernels(connection, wrong));
  WS_CHECK(check_sets(connection, wrong));
  return wrong;
}

}  // namespace ws::store
