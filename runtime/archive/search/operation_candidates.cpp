// Candidates by what their lifted programs compute.
#include <algorithm>
#include <map>

#include "runtime/archive/search/candidates.h"
#include "runtime/archive/search/operation_index.h"
#include "runtime/archive/store/visible.h"
#include "runtime/search/fingerprint.h"

namespace ws::store {
namespace {

constexpr std::int64_t kMaxSetsOfBand = 300;  // The newest.
constexpr std::size_t kMaxSetsCompared = 200;
constexpr std::size_t kMaxSets = 16;      // Sets whose kernels are looked at.
constexpr std::int64_t kMaxOfSet = 20;    // Kernels that compute the same.
constexpr double kLeastOperations = 0.6;  // Most kernels multiply and add something.

struct LikeSet {
  std::int64_t id = 0;
  double share = 0;  ///< The share of its operations.
};

/// Sets that meet it in some band, those that do in most first.
Result<std::vector<std::int64_t>> sets_in_bands(Connection& connection,
                                                const std::vector<std::uint64_t>& runs) {
  std::map<std::int64_t, std::size_t> bands;
  WS_TRY(Statement rows, connection.prepare("SELECT operation_set FROM operation_bands "
                                            "WHERE band = ? ORDER BY operation_set DESC LIMIT ?"));
  const auto keys = bands_of(signature_of(runs));
  WS_CHECK(for_each_run(
      rows, keys.size(),
      [&](Statement& statement, std::size_t i) {
        statement.bind(std::int64_t{keys.at(i)}).bind(kMaxSetsOfBand);
      },
      [&](std::size_t, const Statement& row) { ++bands[row.integer(0)]; }));
  std::vector<std::int64_t> ids;
  ids.reserve(bands.size());
  for (const auto& [id, count] : bands) {
    ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](std::int64_t a, std::int64_t b) {
    return bands[a] != bands[b] ? bands[a] > bands[b] : a > b;
  });
  ids.resize(std::min(ids.size(), kMaxSetsCompared));
  return ids;
}

/// Those that have enough in common with it, best first.
Result<std::vector<LikeSet>> like_sets(Connection& connection,
                                       const std::vector<std::uint64_t>& runs) {
  WS_TRY(const std::vector<std::int64_t> ids, sets_in_bands(connection, runs));
  WS_TRY(Statement row, connection.prepare("SELECT operations FROM operation_sets WHERE id = ?"));
  std::vector<LikeSet> sets;
  WS_CHECK(for_each_run(
      row, ids.size(), [&](Statement& statement, std::size_t i) { statement.bind(ids[i]); },
      [&](std::size_t i, const Statement& found) {
        const double share = jaccard(runs, operation_runs(operations_from_text(found.text(0))));
        if (share >= kLeastOperations) {
          sets.push_back({ids[i], share});
        }
      }));
  std::sort(sets.begin(), sets.end(), [](const LikeSet& a, const LikeSet& b) {
    return a.share != b.share ? a.share > b.share : a.id > b.id;
  });
  sets.resize(std::min(sets.size(), kMaxSets));
  return sets;
}

}  // namespace

Status add_by_operations(Connection& connection, const std::string& kernel_id, State state,
                         Candidates& found) {
  WS_TRY(const OperationCounts counts, operations_of(connection, kernel_id));
  if (counts.empty()) {
    return {};
  }
  WS_TRY(const std::vector<LikeSet> sets, like_sets(connection, operation_runs(counts)));
  WS_TRY(Statement rows,
         connection.prepare("SELECT seq FROM indexed_kernels WHERE operation_set = ? "
                            "AND operation_set <> 0 AND states = ?" +
                            and_seen("indexed_kernels.kernel_id") + " ORDER BY seq DESC LIMIT ?"));
  const std::vector<std::int64_t> sums = sums_with(state);
  return add_kernels(
      rows, sets.size() * sums.size(), kMaxOfSet,
      [&](Statement& statement, std::size_t run) {
        statement.bind(sets[run / sums.size()].id).bind(sums[run % sums.size()]).bind(kMaxOfSet);
      },
      [&](std::size_t run, Reasons& reasons) {
        reasons.operations_share = sets[run / sums.size()].share;
      },
      found);
}

}  // namespace ws::store
