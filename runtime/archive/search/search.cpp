// Ranks what candidates.h finds.
#include "runtime/archive/search/search.h"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/archive/search/candidates.h"
#include "runtime/archive/search/seen_hits.h"
#include "runtime/archive/store/store.h"
#include "runtime/base/viewer.h"
#include "runtime/search/fingerprint.h"

namespace ws::store {
namespace {

constexpr std::size_t kMaxFitting = 160;     // Kernels whose status is looked at.
constexpr std::size_t kMaxRanked = 60;       // Are compared with each other.
constexpr double kDuplicateLikeness = 0.95;  // From here on two kernels count as one.

struct Ranked {
  SearchHit hit;
  std::int64_t fingerprint = 0;
  std::optional<Signature> signature;
};

/// Equal operations count as half of the code: they may be done in quite another way.
double code_fit(const Reasons& reasons) {
  constexpr double kOperationsWeight = 0.5;
  const double share = reasons.common_share.value_or(0);
  return share + (1 - share) * kOperationsWeight * reasons.operations_share.value_or(0);
}

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
    sum += code_fit(reasons);
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

/// On the device asked for; else where it did best.
bool counts_more(const SearchHit& a, const SearchHit& b, const std::string& device) {
  if ((a.device == device) != (b.device == device)) {
    return a.device == device;
  }
  return a.passed != b.passed ? a.passed : a.speed_up().value_or(0) > b.speed_up().value_or(0);
}

/// Nothing for a kernel that is gone, or that is not to be shown.
std::optional<Ranked> ranked(std::vector<SeenStanding> standings, std::int64_t seq,
                             const Reasons& reasons, const SearchRequest& request) {
  std::optional<Ranked> entry;
  std::string arch;
  for (SeenStanding& standing : standings) {
    if (!entry || counts_more(standing.hit, entry->hit, request.device)) {
      entry = Ranked{std::move(standing.hit), standing.fingerprint, std::nullopt};
      arch = std::move(standing.arch);
    }
  }
  if (!entry || entry->hit.kernel_id == request.exclude) {
    return std::nullopt;
  }
  SearchHit& hit = entry->hit;
  hit.seq = seq;
  hit.nearness = reasons.nearness;
  hit.words = reasons.words;
  hit.common_share = reasons.common_share;
  hit.operations_share = reasons.operations_share;
  hit.score = relevance(request, reasons) * merit(hit, arch, request);
  return entry;
}

bool is_better(const Ranked& a, const Ranked& b) {
  return a.hit.score != b.hit.score ? a.hit.score > b.hit.score : a.hit.seq > b.hit.seq;
}

Status load_signatures(Connection& connection, std::vector<Ranked>& entries) {
  WS_TRY(Statement row, connection.prepare("SELECT signature FROM fingerprints WHERE id = ?"));
  return for_each_run(
      row, entries.size(),
      [&](Statement& statement, std::size_t i) { statement.bind(entries[i].fingerprint); },
      [&](std::size_t i, const Statement& found) {
        entries[i].signature = signature_from(found.text(0));
      });
}

/// True for the same code with the same problem and outcome: the same code for another operation is
/// another finding.
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

/// One search: what was asked, and what all its lists need.
struct Question {
  const SearchRequest& request;
  std::vector<Neighbour> problems;
};

Result<Candidates> candidates(Connection& connection, const Question& question, State state) {
  Candidates found;
  WS_CHECK(add_by_problem(connection, question.problems, question.request.device, state, found));
  if (!question.request.words.empty()) {
    WS_CHECK(add_by_words(connection, question.request, state, found));
  }
  if (!question.request.runs.empty()) {
    WS_CHECK(add_by_code(connection, question.request, state, found));
    WS_CHECK(add_by_operations(connection, question.request.exclude, state, found));
  }
  return found;
}

/// The same for a viewer that does not see all: what the index says of a kernel may follow from
/// evidence that is hidden from it, and another state from what it sees.
Result<Candidates> possible_candidates(Connection& connection, const Question& question,
                                       State state) {
  WS_TRY(Candidates found, candidates(connection, question, state));
  for (const State other : {State::kPassed, State::kFailed}) {
    if (other != state && !current_viewer().sees_all) {
      WS_TRY(Candidates more, candidates(connection, question, other));
      found.kernels.merge(more.kernels);
      found.cut = found.cut || more.cut;
    }
  }
  return found;
}

std::vector<std::int64_t> numbers_of(const Candidates& found) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(found.kernels.size());
  for (const auto& [seq, reasons] : found.kernels) {
    numbers.push_back(seq);
  }
  return numbers;
}

/// The numbers of those that fit best, the newest first of equal ones.
std::vector<std::int64_t> fittest(const SearchRequest& request, std::size_t most,
                                  Candidates& found) {
  std::vector<std::pair<double, std::int64_t>> order;
  order.reserve(found.kernels.size());
  for (const auto& [seq, reasons] : found.kernels) {
    order.emplace_back(relevance(request, reasons), seq);
  }
  std::sort(order.rbegin(), order.rend());
  found.cut = found.cut || order.size() > most;
  order.resize(std::min(order.size(), most));
  std::vector<std::int64_t> numbers;
  numbers.reserve(order.size());
  for (const auto& [fit, seq] : order) {
    numbers.push_back(seq);
  }
  return numbers;
}

/// Hits in one state, best first.
Result<std::vector<SearchHit>> hits_in(Connection& connection, const Question& question,
                                       State state, bool& cut) {
  const SearchRequest& request = question.request;
  WS_TRY(Candidates found, possible_candidates(connection, question, state));
  const std::vector<std::int64_t> numbers = fittest(request, kMaxFitting / thrift(state), found);
  WS_TRY(auto standings, seen_standings(connection, numbers));
  WS_CHECK(drop_hidden_words(connection, numbers, found));
  std::vector<Ranked> entries;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto reasons = found.kernels.find(numbers[i]);
    std::optional<Ranked> entry;
    if (reasons != found.kernels.end()) {
      entry = ranked(std::move(standings[i]), numbers[i], reasons->second, request);
    }
    // One that passed on one device and failed on another is what it is on the device asked for.
    if (entry && entry->hit.passed == (state == State::kPassed)) {
      entries.push_back(*std::move(entry));
    }
  }
  cut = cut || found.cut;
  return distinct(connection, std::move(entries), request.limit);
}

/// How many fit and were never judged, of the newest and the likest.
Result<std::size_t> count_unverified(Connection& connection, const Question& question) {
  WS_TRY(Candidates found, possible_candidates(connection, question, State::kUnjudged));
  WS_CHECK(drop_hidden_words(connection, numbers_of(found), found));
  return count_unjudged(connection, numbers_of(found), question.request.exclude);
}

}  // namespace

Result<SearchResult> search(Connection& connection, const SearchRequest& request) {
  constexpr std::size_t kFailuresShare = 3;
  Snapshot snapshot(connection);
  WS_CHECK(snapshot.begin());
  SearchResult result;
  Question question{request, {}};
  if (!request.problem_id.empty()) {
    WS_TRY(question.problems, neighbours(connection, request.problem_id, result.cut));
  }
  WS_TRY(result.hits, hits_in(connection, question, State::kPassed, result.cut));
  std::vector<SearchHit> failures;
  if (request.failures) {
    WS_TRY(failures, hits_in(connection, question, State::kFailed, result.cut));
  }
  const std::size_t reserved =
      std::min(failures.size(), (request.limit + kFailuresShare - 1) / kFailuresShare);
  result.hits.resize(std::min(result.hits.size(), request.limit - reserved));
  failures.resize(std::min(failures.size(), request.limit - result.hits.size()));
  std::move(failures.begin(), failures.end(), std::back_inserter(result.hits));
  if (result.hits.size() < request.limit) {
    WS_TRY(result.unverified, count_unverified(connection, question));
  }
  return result;
}

}  // namespace ws::store
