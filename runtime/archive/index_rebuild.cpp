#include "runtime/archive/index_rebuild.h"

#include "runtime/archive/kernel_words.h"
#include "runtime/archive/operation_index.h"
#include "runtime/archive/search_index.h"
#include "runtime/archive/standing.h"
#include "runtime/archive/store.h"

namespace ws::store {
namespace {

Result<bool> is_indexed(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row, connection.prepare("SELECT 1 FROM indexed_kernels WHERE kernel_id = ?"));
  return row.bind(kernel_id).step();
}

Status index_standings(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT DISTINCT device FROM evidence WHERE kernel_id = ?"));
  WS_TRY(const std::vector<std::string> devices, texts(row.bind(kernel_id)));
  for (const std::string& device : devices) {
    WS_CHECK(refresh_standing(connection, kernel_id, device));
  }
  return {};
}

/// Archives of the first version had no labels.
Status label_refs(Connection& connection) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT kernel_id, name FROM refs r WHERE NOT EXISTS (SELECT 1 FROM "
                            "labels WHERE kernel_id = r.kernel_id AND kind = 'ref' "
                            "AND text = r.name)"));
  WS_CHECK(for_each_row(rows, [&](const Statement& row) {
    return put_label(connection, {row.text(0), "ref", row.text(1)});
  }));
  return {};
}

Result<std::int64_t> number_of(Connection& connection, const char* sql) {
  WS_TRY(Statement row, connection.prepare(sql));
  WS_TRY([[maybe_unused]] const bool found, row.step());
  return row.integer(0);
}

}  // namespace

template <typename Each>
Result<bool> IndexRebuild::rows(Connection& connection, const char* sql, const Each& each) {
  WS_TRY(Statement rows, connection.prepare(sql));
  rows.bind(last_row_).bind(end_).bind(rows_at_once_);
  WS_TRY(const std::int64_t count, for_each_row(rows, [&](const Statement& row) {
           last_row_ = row.integer(0);
           return each(row);
         }));
  return count == rows_at_once_;
}

Result<bool> IndexRebuild::step(Connection& connection) {
  switch (phase_) {
    case Phase::kProblems:
      return problems(connection);
    case Phase::kEmpty:
      return empty(connection);
    case Phase::kKernels:
      return kernels(connection);
  }
  return false;
}

/// Problems keep their numbers, by which others index new kernels meanwhile.
Result<bool> IndexRebuild::problems(Connection& connection) {
  if (last_row_ == 0) {
    WS_TRY(end_, number_of(connection, "SELECT coalesce(max(rowid), 0) FROM problems"));
  }
  WS_TRY(const bool more, rows(connection,
                               "SELECT rowid, id, json FROM problems "
                               "WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?",
                               [&](const Statement& row) {
                                 return index_problem(connection,
                                                      {row.text(1), {}, row.text(2), {}});
                               }));
  if (!more) {
    phase_ = Phase::kEmpty;
    last_row_ = 0;
  }
  return true;
}

/// All at once: a kernel that is in one table and not in another would be changed in neither.
Result<bool> IndexRebuild::empty(Connection& connection) {
  WS_CHECK(clear_words(connection));
  WS_CHECK(connection.execute(
      "DELETE FROM standings; DELETE FROM indexed_kernels; DELETE FROM fingerprint_bands; "
      "DELETE FROM fingerprints; DELETE FROM operation_sets; DELETE FROM operation_bands; "
      "INSERT INTO sqlite_sequence(name, seq) SELECT 'indexed_kernels', 0 WHERE NOT EXISTS "
      "(SELECT 1 FROM sqlite_sequence WHERE name = 'indexed_kernels')"));
  WS_TRY(free_after_, number_of(connection,
                                "SELECT seq FROM sqlite_sequence "
                                "WHERE name = 'indexed_kernels'"));
  WS_TRY(end_, number_of(connection, "SELECT coalesce(max(rowid), 0) FROM kernels"));
  WS_TRY(Statement keep, connection.prepare("UPDATE sqlite_sequence SET seq = seq + ? "
                                            "WHERE name = 'indexed_kernels'"));
  WS_CHECK(keep.bind(end_).run());
  WS_CHECK(label_refs(connection));
  phase_ = Phase::kKernels;
  return true;
}

Result<bool> IndexRebuild::kernels(Connection& connection) {
  WS_TRY(const bool more, rows(connection,
                               "SELECT rowid, id, name, problem_id, json FROM kernels "
                               "WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?",
                               [&](const Statement& row) -> Status {
                                 const KernelRow kernel = {row.text(1), row.text(2), row.text(3),
                                                           {},          row.text(4), {}};
                                 WS_TRY(const bool known, is_indexed(connection, kernel.id));
                                 if (known) {  // It was stored since.
                                   return {};
                                 }
                                 WS_CHECK(index_kernel(connection, kernel, traits_of(kernel),
                                                       free_after_ + row.integer(0)));
                                 WS_CHECK(index_operations(connection, kernel.id));
                                 return index_standings(connection, kernel.id);
                               }));
  WS_CHECK(merge_words(connection, static_cast<std::size_t>(rows_at_once_) * kPagesOfMany));
  return more;
}

Status rebuild_index(Connection& connection) {
  IndexRebuild rebuild;
  for (bool more = true; more;) {
    WS_TRY(more, rebuild.step(connection));
  }
  return {};
}

}  // namespace ws::store
