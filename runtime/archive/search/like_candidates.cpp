// Candidates by their code.
#include <algorithm>
#include <unordered_map>

#include "runtime/archive/search/candidates.h"
#include "runtime/archive/store/visible.h"
#include "runtime/search/fingerprint.h"
#include "runtime/search/kernel_source.h"

namespace ws::store {
namespace {

constexpr std::int64_t kMaxOfBand = 600;        // Fingerprints, the newest first.
constexpr std::size_t kEstimatedOfOne = 25;     // For one that is compared; they share most bands.
constexpr std::int64_t kMaxOfFingerprint = 20;  // Kernels with the same code.
constexpr double kLeastShare = 0.2;             // Less is what any two kernels have in common.

/// Fingerprints that meet it in some band, those that do in most first.
Result<std::vector<std::int64_t>> met_in_bands(Connection& connection, const Signature& signature,
                                               const std::vector<std::int64_t>& sums,
                                               std::size_t most) {
  std::unordered_map<std::int64_t, std::size_t> bands;
  WS_TRY(Statement rows,
         connection.prepare("SELECT fingerprint FROM fingerprint_bands WHERE band = ? "
                            "AND states = ? ORDER BY fingerprint DESC LIMIT ?"));
  const auto keys = bands_of(signature);
  WS_CHECK(for_each_run(
      rows, keys.size() * sums.size(),
      [&](Statement& statement, std::size_t run) {
        statement.bind(std::int64_t{keys[run / sums.size()]});
        statement.bind(sums[run % sums.size()]).bind(kMaxOfBand);
      },
      [&](std::size_t, const Statement& row) { ++bands[row.integer(0)]; }));
  std::vector<std::pair<std::size_t, std::int64_t>> order;
  order.reserve(bands.size());
  for (const auto& [fingerprint, count] : bands) {
    order.emplace_back(count, fingerprint);
  }
  std::sort(order.rbegin(), order.rend());
  std::vector<std::int64_t> ids;
  ids.reserve(order.size());
  for (const auto& [count, fingerprint] : order) {
    ids.push_back(fingerprint);
  }
  ids.resize(std::min(ids.size(), most));
  return ids;
}

bool is_liker(const LikeFingerprint& a, const LikeFingerprint& b) {
  return a.common_share != b.common_share ? a.common_share > b.common_share : a.id > b.id;
}

/// By their signatures.
Result<std::vector<LikeFingerprint>> estimated(Connection& connection, const Signature& signature,
                                               const std::vector<std::int64_t>& sums,
                                               std::size_t most) {
  WS_TRY(const std::vector<std::int64_t> ids, met_in_bands(connection, signature, sums, most));
  WS_TRY(Statement row, connection.prepare("SELECT signature FROM fingerprints WHERE id = ?"));
  std::vector<LikeFingerprint> all;
  WS_CHECK(for_each_run(
      row, ids.size(), [&](Statement& statement, std::size_t i) { statement.bind(ids[i]); },
      [&](std::size_t i, const Statement& found) {
        if (const auto other = signature_from(found.text(0))) {
          all.push_back({ids[i], likeness(signature, *other)});
        }
      }));
  std::sort(all.begin(), all.end(), is_liker);
  return all;
}

}  // namespace

Result<std::vector<LikeFingerprint>> like_fingerprints(Connection& connection,
                                                       const std::vector<std::uint64_t>& runs,
                                                       const std::vector<std::int64_t>& sums,
                                                       std::size_t compared) {
  if (runs.empty()) {
    return std::vector<LikeFingerprint>();
  }
  WS_TRY(std::vector<LikeFingerprint> all,
         estimated(connection, signature_of(runs), sums, compared * kEstimatedOfOne));
  all.resize(std::min(all.size(), compared));
  WS_TRY(Statement row,
         connection.prepare("SELECT json FROM kernels WHERE id = (SELECT kernel_id FROM "
                            "indexed_kernels WHERE fingerprint = ? ORDER BY seq LIMIT 1)"));
  std::vector<double> shares(all.size());  // 0 of one whose kernels are gone.
  WS_CHECK(for_each_run(
      row, all.size(), [&](Statement& statement, std::size_t i) { statement.bind(all[i].id); },
      [&](std::size_t i, const Statement& found) {
        shares[i] = jaccard(runs, token_runs(kernel_source(found.text(0))));
      }));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].common_share = shares[i];
  }
  std::sort(all.begin(), all.end(), is_liker);
  return all;
}

Status add_by_code(Connection& connection, const SearchRequest& request, State state,
                   Candidates& found) {
  const std::vector<std::int64_t> sums = sums_with(state);
  WS_TRY(std::vector<LikeFingerprint> likes,
         like_fingerprints(connection, request.runs, sums, kMaxCompared / thrift(state)));
  WS_TRY(Statement rows,
         connection.prepare("SELECT seq FROM indexed_kernels WHERE fingerprint = ? "
                            "AND states = ?" +
                            and_seen("indexed_kernels.kernel_id") + " ORDER BY seq DESC LIMIT ?"));
  std::erase_if(likes, [](const LikeFingerprint& like) { return like.common_share < kLeastShare; });
  return add_kernels(
      rows, likes.size() * sums.size(), kMaxOfFingerprint,
      [&](Statement& statement, std::size_t run) {
        statement.bind(likes[run / sums.size()].id);
        statement.bind(sums[run % sums.size()]).bind(kMaxOfFingerprint);
      },
      [&](std::size_t run, Reasons& reasons) {
        reasons.common_share = likes[run / sums.size()].common_share;
      },
      found);
}

}  // namespace ws::store
