// Candidates by their code.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "runtime/archive/candidates.h"
#include "runtime/search/fingerprint.h"
#include "runtime/search/kernel_source.h"

namespace ws::store {
namespace {

constexpr std::int64_t kMaxOfBand = 600;        // Fingerprints, the newest first.
constexpr std::size_t kMaxEstimated = 400;      // Of those that share most bands.
constexpr std::size_t kMaxCompared = 24;        // Token by token.
constexpr std::int64_t kMaxOfFingerprint = 20;  // Kernels with the same code.
constexpr double kLeastShare = 0.2;             // Less is what any two kernels have in common.

/// Fingerprints that meet it in some band, those that do in most first.
Result<std::vector<std::int64_t>> met_in_bands(Connection& connection, const Signature& signature,
                                               std::int64_t state) {
  std::unordered_map<std::int64_t, std::size_t> bands;
  WS_TRY(Statement rows,
         connection.prepare("SELECT fingerprint FROM fingerprint_bands b WHERE band = ?1 "
                            "AND (?2 = 0 OR EXISTS (SELECT 1 FROM indexed_kernels k JOIN "
                            "standings s ON s.kernel = k.seq WHERE k.fingerprint = b.fingerprint "
                            "AND s.state = ?2)) ORDER BY fingerprint DESC LIMIT ?3"));
  for (const std::uint32_t band : bands_of(signature)) {
    rows.reset().bind(std::int64_t{band}).bind(state).bind(kMaxOfBand);
    while (true) {
      WS_TRY(const bool more, rows.step());
      if (!more) {
        break;
      }
      ++bands[rows.integer(0)];
    }
  }
  std::vector<std::pair<std::size_t, std::int64_t>> order;
  order.reserve(bands.size());
  for (const auto& [fingerprint, count] : bands) {
    order.emplace_back(count, fingerprint);
  }
  std::sort(order.rbegin(), order.rend());
  std::vector<std::int64_t> ids;
  for (const auto& [count, fingerprint] : order) {
    ids.push_back(fingerprint);
  }
  ids.resize(std::min(ids.size(), kMaxEstimated));
  return ids;
}

bool is_liker(const LikeFingerprint& a, const LikeFingerprint& b) {
  return a.common_share != b.common_share ? a.common_share > b.common_share : a.id > b.id;
}

/// By their signatures.
Result<std::vector<LikeFingerprint>> estimated(Connection& connection, const Signature& signature,
                                               std::int64_t state) {
  WS_TRY(const std::vector<std::int64_t> ids, met_in_bands(connection, signature, state));
  WS_TRY(Statement row, connection.prepare("SELECT signature FROM fingerprints WHERE id = ?"));
  std::vector<LikeFingerprint> all;
  for (const std::int64_t id : ids) {
    WS_TRY(const bool found, row.reset().bind(id).step());
    Signature other{};
    const std::string bytes = found ? row.text(0) : std::string();
    if (bytes.size() == sizeof(other)) {
      std::memcpy(other.data(), bytes.data(), sizeof(other));
      all.push_back({id, likeness(signature, other)});
    }
  }
  std::sort(all.begin(), all.end(), is_liker);
  return all;
}

}  // namespace

Result<std::vector<LikeFingerprint>> like_fingerprints(Connection& connection,
                                                       const std::vector<std::uint64_t>& runs,
                                                       std::size_t most, std::int64_t state) {
  if (runs.empty()) {
    return std::vector<LikeFingerprint>();
  }
  WS_TRY(std::vector<LikeFingerprint> all, estimated(connection, signature_of(runs), state));
  all.resize(std::min(all.size(), std::max(most, kMaxCompared)));
  WS_TRY(Statement row,
         connection.prepare("SELECT json FROM kernels WHERE id = (SELECT kernel_id FROM "
                            "indexed_kernels WHERE fingerprint = ? ORDER BY seq LIMIT 1)"));
  for (LikeFingerprint& other : all) {
    WS_TRY(const bool found, row.reset().bind(other.id).step());
    other.common_share = found ? jaccard(runs, token_runs(kernel_source(row.text(0)))) : 0;
  }
  std::sort(all.begin(), all.end(), is_liker);
  all.resize(std::min(all.size(), most));
  return all;
}

Status add_by_code(Connection& connection, const SearchRequest& request, Candidates& found) {
  WS_TRY(
      Statement rows,
      connection.prepare("SELECT seq FROM indexed_kernels k WHERE fingerprint = ?1 "
                         "AND (?2 = 0 OR EXISTS (SELECT 1 FROM standings s "
                         "WHERE s.kernel = k.seq AND s.state = ?2)) ORDER BY seq DESC LIMIT ?3"));
  for (const std::int64_t state : states_of(request)) {
    WS_TRY(const std::vector<LikeFingerprint> likes,
           like_fingerprints(connection, request.runs, kMaxCompared, state));
    for (const LikeFingerprint& like : likes) {
      if (like.common_share < kLeastShare) {
        break;
      }
      rows.reset().bind(like.id).bind(state).bind(kMaxOfFingerprint);
      std::int64_t count = 0;
      while (true) {
        WS_TRY(const bool more, rows.step());
        if (!more) {
          break;
        }
        ++count;
        found.kernels[rows.integer(0)].common_share = like.common_share;
      }
      found.cut = found.cut || count == kMaxOfFingerprint;
    }
  }
  return {};
}

}  // namespace ws::store
