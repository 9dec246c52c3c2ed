#include "runtime/archive/search/index_rebuild.h"

#include <optional>
#include <utility>
#include <vector>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/kernel_words.h"
#include "runtime/archive/search/operation_index.h"
#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/store.h"
#include "runtime/base/parallel.h"

namespace ws::store {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{8}
                                     << 20U;  // Bytes of rows that are kept in memory.

using KernelStatuses = std::vector<std::pair<std::string, KernelStatus>>;  // By device.

/// One that the rebuild has come to.
struct StoredKernel {
  std::int64_t number = 0;  ///< The number of its row.
  KernelRow row;
  KernelTraits traits{};
  KernelStatuses statuses{};
};

/// A value of each row that a statement of one parameter, the kernel's id, gives for each kernel.
Result<std::vector<std::vector<std::string>>> texts_of(Connection& connection, const char* sql,
                                                       const std::vector<StoredKernel>& piece) {
  WS_TRY(Statement rows, connection.prepare(sql));
  std::vector<std::vector<std::string>> all(piece.size());
  WS_CHECK(for_each_run(
      rows, piece.size(),
      [&](Statement& statement, std::size_t i) { statement.bind(piece[i].row.id); },
      [&](std::size_t i, const Statement& row) { all[i].push_back(row.text(0)); }));
  return all;
}

Status read_statuses(Connection& connection, std::vector<StoredKernel>& piece) {
  WS_TRY(auto devices,
         texts_of(connection, "SELECT DISTINCT device FROM evidence WHERE kernel_id = ?", piece));
  for (std::size_t i = 0; i < piece.size(); ++i) {
    for (std::string& device : devices[i]) {
      WS_TRY(const std::optional<KernelStatus> status,
             kernel_status_of(connection, piece[i].row.id, device));
      if (status) {
        piece[i].statuses.emplace_back(std::move(device), *status);
      }
    }
  }
  return {};
}

/// With their states from the start: to add a kernel as unjudged and then to move it, and its code,
/// takes as long again. @param free_after  As in IndexRebuild.
Status index_whole(Connection& connection, const std::vector<StoredKernel>& piece,
                   std::int64_t free_after) {
  std::vector<KernelToIndex> kernels;
  for (const StoredKernel& kernel : piece) {
    IndexPlace place{.seq = free_after + kernel.number, .states = 0};
    for (const auto& [device, status] : kernel.statuses) {
      place.states |= static_cast<std::int64_t>(status.state);
    }
    kernels.push_back({&kernel.row, &kernel.traits, place});
  }
  WS_CHECK(index_kernels(connection, kernels));
  for (const StoredKernel& kernel : piece) {
    for (const auto& [device, status] : kernel.statuses) {
      WS_CHECK(put_kernel_status(connection, kernel.row.id, device, status));
    }
  }
  WS_TRY(const auto lifted,
         texts_of(connection, "SELECT kernel_id FROM lifted_kernels WHERE kernel_id = ?", piece));
  for (std::size_t i = 0; i < piece.size(); ++i) {
    WS_CHECK(lifted[i].empty() ? Status() : index_operations(connection, piece[i].row.id));
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

/// Keeps numbers of the index for kernels that have rows. @return  The number before the first.
Result<std::int64_t> keep_numbers(Connection& connection, std::int64_t count) {
  if (connection.is_postgres()) {
    WS_TRY(Statement keep, connection.prepare("SELECT setval('indexed_kernels_seq_seq', "
                                              "nextval('indexed_kernels_seq_seq') + ?1) - ?1"));
    WS_TRY([[maybe_unused]] const bool found, keep.bind(count).step());
    return keep.integer(0);
  }
  WS_CHECK(connection.execute(
      "INSERT INTO sqlite_sequence(name, seq) SELECT 'indexed_kernels', 0 WHERE NOT EXISTS "
      "(SELECT 1 FROM sqlite_sequence WHERE name = 'indexed_kernels')"));
  WS_TRY(const std::int64_t free_after, number_of(connection,
                                                  "SELECT seq FROM sqlite_sequence "
                                                  "WHERE name = 'indexed_kernels'"));
  WS_TRY(Statement keep, connection.prepare("UPDATE sqlite_sequence SET seq = seq + ? "
                                            "WHERE name = 'indexed_kernels'"));
  WS_CHECK(keep.bind(count).run());
  return free_after;
}

}  // namespace

template <typename Each>
Result<bool> IndexRebuild::rows(Connection& connection, const char* sql, const Each& each) {
  WS_TRY(Statement rows, connection.prepare(sql));
  rows.bind(last_row_).bind(end_).bind(rows_at_once_);
  std::size_t bytes = 0;
  for (std::int64_t count = 0; count < rows_at_once_ && bytes < kBytesAtOnce; ++count) {
    WS_TRY(const bool found, rows.step());
    if (!found) {
      return false;
    }
    last_row_ = rows.integer(0);
    WS_TRY(const std::size_t more, each(rows));
    bytes += more;
  }
  return true;
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
  const auto index = [&connection](const Statement& row) -> Result<std::size_t> {
    const std::string json = row.text(2);
    WS_CHECK(index_problem(connection, {row.text(1), {}, json, {}}));
    return json.size();
  };
  WS_TRY(const bool more, rows(connection,
                               "SELECT rowid, id, json FROM problems "
                               "WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?",
                               index));
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
      "DELETE FROM fingerprints; DELETE FROM operation_sets; DELETE FROM operation_bands"));
  WS_TRY(end_, number_of(connection, "SELECT coalesce(max(rowid), 0) FROM kernels"));
  WS_TRY(free_after_, keep_numbers(connection, end_));
  if (labels_ == RefLabels::kMake) {
    WS_CHECK(label_refs(connection));
  }
  phase_ = Phase::kKernels;
  return true;
}

Result<bool> IndexRebuild::kernels(Connection& connection) {
  std::vector<StoredKernel> piece;
  const auto keep = [&](const Statement& row) -> Result<std::size_t> {
    KernelRow kernel = {row.text(1), row.text(2), row.text(3), {}, row.text(4), {}};
    const std::size_t bytes = kernel.json.size();
    piece.push_back({row.integer(0), std::move(kernel)});
    return bytes;
  };
  // Others were stored since, and are indexed.
  WS_TRY(
      const bool more,
      rows(connection,
           "SELECT rowid, id, name, problem_id, json FROM kernels WHERE rowid > ? AND rowid <= ? "
           "AND NOT EXISTS (SELECT 1 FROM indexed_kernels WHERE kernel_id = kernels.id) "
           "ORDER BY rowid LIMIT ?",
           keep));
  parallel_for(piece.size(), [&](std::size_t i) { piece[i].traits = traits_of(piece[i].row); });
  WS_CHECK(read_statuses(connection, piece));
  WS_CHECK(index_whole(connection, piece, free_after_));
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
