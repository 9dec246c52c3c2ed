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
  for (const std::uint32_t band : bands_of(signature)) {
    for (const std::int64_t sum : sums) {
      rows.reset().bind(std::int64_t{band}).bind(sum).bind(kMaxOfBand);
      WS_CHECK(for_each_row(rows, [&](const Statement& row) { ++bands[row.integer(0)]; }));
    }
  }
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
  for (const std::int64_t id : ids) {
    WS_TRY(const bool found, row.reset().bind(id).step());
    if (const auto other = signature_from(found ? row.text(0) : std::string())) {
      all.push_back({id, likeness(signature, *other)});
    }
  }
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
  for (LikeFingerprint& other : all) {
    WS_TRY(const bool found, row.reset().bind(other.id).step());
    other.common_share = found ? jaccard(runs, token_runs(kernel_source(row.text(0)))) : 0;
  }
  std::sort(all.begin(), all.end(), is_liker);
  return all;
}

Status add_by_code(Connection& connection, const SearchRequest& request, State state,
                   Candidates& found) {
  const std::vector<std::int64_t> sums = sums_with(state);
  WS_TRY(const std::vector<LikeFingerprint> likes,
         like_fingerprints(connection, request.runs, sums, kMaxCompared / thrift(state)));
  WS_TRY(Statement rows,
         connection.prepare("SELECT seq FROM indexed_kernels WHERE fingerprint = ? "
                            "AND states = ?" +
                            and_seen("indexed_kernels.kernel_id") + " ORDER BY seq DESC LIMIT ?"));
  for (const LikeFingerprint& like : likes) {
    if (like.common_share < kLeastShare) {
      break;
    }
    const auto note = [&](Reasons& reasons) { reasons.common_share = like.common_share; };
    for (const std::int64_t sum : sums) {
      rows.reset().bind(like.id).bind(sum).bind(kMaxOfFingerprint);
      WS_CHECK(add_kernels(rows, kMaxOfFingerprint, note, found));
    }
  }
  return {};
}

}  // namespace ws::store
