// Ranks what candidates.h finds.
#include "runtime/archive/search.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "runtime/archive/candidates.h"
#include "runtime/archive/standing.h"
#include "runtime/archive/store.h"
#include "runtime/search/fingerprint.h"

namespace ws::store {
namespace {

constexpr std::size_t kMaxRanked = 60;       // Are compared with each other.
constexpr double kDuplicateLikeness = 0.95;  // From here on two kernels count as one.

struct Ranked {
  SearchHit hit;
  std::int64_t fingerprint = 0;
  std::optional<Signature> signature;
};

/// The mean over what was asked for.
double relevance(const SearchRequest& request, const Reasons& reasons) {
  double sum = 0;
  double asked = 0;
  if (!request.problem_id.empty()) {
    sum += reasons.nearness.value_or(0);
    asked += 1;
  }
  if (!request.words.empty()) {
    sum += static_cast<double>(reasons.words.size()) / static_cast<double>(request.words.size());
    asked += 1;
  }
  if (!request.runs.empty()) {
    sum += reasons.common_share.value_or(0);
    asked += 1;
  }
  return asked > 0 ? sum / asked : 0;
}

/// 0.3 of a failure, 0.5 to 1 of a kernel that passed: a speed-up of 1 counts half of what there
/// is. Less of a result from another device.
double merit(const SearchHit& hit, const std::string& arch, const SearchRequest& request) {
  constexpr double kFailed = 0.3;
  constexpr double kUntimed = 0.6;
  constexpr double kSameArch = 0.9;
  constexpr double kElsewhere = 0.6;
  const std::optional<double> ratio = hit.speed_up();
  const double speed = ratio ? 0.5 + 0.5 * *ratio / (1 + *ratio) : kUntimed;
  const double base = hit.passed ? speed : kFailed;
  if (request.device.empty() || hit.device == request.device) {
    return base;
  }
  return base * (!arch.empty() && arch == request.arch ? kSameArch : kElsewhere);
}

/// One row for each device that judged the kernel; one with an empty device where none did.
constexpr const char* kStandingsOfKernel =
    "SELECT k.kernel_id, p.problem_id, k.fingerprint, coalesce(s.device, ''), s.state, s.verdict, "
    "s.evidence_id, s.ratio, s.against, s.arch, s.at_ms FROM indexed_kernels k "
    "JOIN problem_facts p ON p.seq = k.problem LEFT JOIN standings s ON s.kernel = k.seq "
    "WHERE k.seq = ? ORDER BY s.device = ? DESC, s.state DESC, "
    "CASE WHEN s.against = 'reference' THEN s.ratio END DESC LIMIT 1";

/// Nothing for a kernel that is gone; a hit without a device for one that was never judged.
Result<std::optional<Ranked>> ranked(Statement& row, std::int64_t seq, const Reasons& reasons,
                                     const SearchRequest& request) {
  WS_TRY(const bool found, row.reset().bind(seq).bind(request.device).step());
  if (!found || row.text(0) == request.exclude) {
    return std::optional<Ranked>();
  }
  Ranked entry;
  SearchHit& hit = entry.hit;
  hit.seq = seq;
  hit.kernel_id = row.text(0);
  hit.problem_id = row.text(1);
  entry.fingerprint = row.integer(2);
  hit.nearness = reasons.nearness;
  hit.words = reasons.words;
  hit.common_share = reasons.common_share;
  hit.device = row.text(3);
  hit.passed = row.integer(4) == static_cast<std::int64_t>(State::kPassed);
  hit.verdict = row.text(5);
  hit.evidence_id = row.text(6);
  hit.ratio = row.real(7);
  hit.against = row.text(8);
  hit.at_ms = row.integer(10);
  hit.score = relevance(request, reasons) * merit(hit, row.text(9), request);
  return std::optional<Ranked>(std::move(entry));
}

bool is_better(const Ranked& a, const Ranked& b) {
  return a.hit.score != b.hit.score ? a.hit.score > b.hit.score : a.hit.seq > b.hit.seq;
}

Status load_signatures(Connection& connection, std::vector<Ranked>& entries) {
  WS_TRY(Statement row, connection.prepare("SELECT signature FROM fingerprints WHERE id = ?"));
  for (Ranked& entry : entries) {
    WS_TRY(const bool found, row.reset().bind(entry.fingerprint).step());
    const std::string bytes = found ? row.text(0) : std::string();
    if (bytes.size() == sizeof(Signature)) {
      std::memcpy(entry.signature.emplace().data(), bytes.data(), sizeof(Signature));
    }
  }
  return {};
}

/// Of the same problem and outcome: the same code for another operation is another finding.
bool is_duplicate(const Ranked& a, const Ranked& b) {
  return a.hit.problem_id == b.hit.problem_id && a.hit.passed == b.hit.passed && a.signature &&
         b.signature && likeness(*a.signature, *b.signature) >= kDuplicateLikeness;
}

/// The best of each group of near-duplicates, up to `limit`. @param entries  Best first.
Result<std::vector<SearchHit>> distinct(Connection& connection, std::vector<Ranked> entries,
                                        std::size_t limit) {
  std::sort(entries.begin(), entries.end(), is_better);
  entries.resize(std::min(entries.size(), kMaxRanked));
  WS_CHECK(load_signatures(connection, entries));
  std::vector<Ranked> kept;
  for (Ranked& entry : entries) {
    const auto same = std::find_if(kept.begin(), kept.end(),
                                   [&](const Ranked& other) { return is_duplicate(entry, other); });
    if (same != kept.end()) {
      ++same->hit.duplicates;
    } else {
      kept.push_back(std::move(entry));
    }
  }
  std::vector<SearchHit> hits;
  for (Ranked& entry : kept) {
    if (hits.size() < limit) {
      hits.push_back(std::move(entry.hit));
    }
  }
  return hits;
}

Result<Candidates> candidates(Connection& connection, const SearchRequest& request) {
  Candidates found;
  if (!request.problem_id.empty()) {
    WS_CHECK(add_by_problem(connection, request, found));
  }
  if (!request.words.empty()) {
    WS_CHECK(add_by_words(connection, request, found));
  }
  if (!request.runs.empty()) {
    WS_CHECK(add_by_code(connection, request, found));
  }
  return found;
}

}  // namespace

Result<SearchResult> search(Connection& connection, const SearchRequest& request) {
  Snapshot snapshot(connection);
  WS_CHECK(snapshot.begin());
  WS_TRY(const Candidates found, candidates(connection, request));
  SearchResult result;
  result.cut = found.cut;
  std::vector<Ranked> passed;
  std::vector<Ranked> failed;
  WS_TRY(Statement row, connection.prepare(kStandingsOfKernel));
  for (const auto& [seq, reasons] : found.kernels) {
    WS_TRY(std::optional<Ranked> entry, ranked(row, seq, reasons, request));
    if (!entry) {
      continue;
    }
    if (entry->hit.device.empty()) {
      ++result.unverified;
    } else {
      (entry->hit.passed ? passed : failed).push_back(*std::move(entry));
    }
  }
  constexpr std::size_t kFailuresShare = 3;
  std::vector<SearchHit> failures;
  if (request.failures) {
    WS_TRY(failures, distinct(connection, std::move(failed), request.limit));
  }
  WS_TRY(result.hits, distinct(connection, std::move(passed), request.limit));
  const std::size_t reserved =
      std::min(failures.size(), (request.limit + kFailuresShare - 1) / kFailuresShare);
  result.hits.resize(std::min(result.hits.size(), request.limit - reserved));
  failures.resize(std::min(failures.size(), request.limit - result.hits.size()));
  std::move(failures.begin(), failures.end(), std::back_inserter(result.hits));
  return result;
}

}  // namespace ws::store
