#include "runtime/archive/search/seen_hits.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/kernel_words.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

SearchHit hit_of(const Statement& row) {
  SearchHit hit;
  hit.kernel_id = row.text(0);
  hit.problem_id = row.text(1);
  hit.device = row.text(3);
  hit.passed = row.integer(4) == static_cast<std::int64_t>(State::kPassed);
  hit.verdict = verdict_of_row(row.text(5));
  hit.evidence_id = row.text(6);
  hit.ratio = row.real(7);
  hit.against = row.text(8);
  hit.at_ms = row.integer(10);
  return hit;
}

/// A standing that follows from evidence, or has a baseline, which the viewer does not see is
/// worked out again from what it sees: as if there were no other.
/// @return False: then there is none.
Result<bool> show_seen(Connection& connection, SeenStanding& standing) {
  SearchHit& hit = standing.hit;
  WS_TRY(const bool seen_evidence, is_seen(connection, hit.evidence_id));
  WS_TRY(const bool seen_baseline, is_seen(connection, hit.against));
  if (seen_evidence && seen_baseline) {
    return true;
  }
  WS_TRY(const auto status, kernel_status_of(connection, hit.kernel_id, hit.device));
  if (!status) {
    return false;
  }
  hit.passed = status->state == State::kPassed;
  hit.verdict = status->verdict;
  hit.evidence_id = status->evidence_id;
  hit.ratio = status->ratio;
  hit.against = status->against;
  hit.at_ms = status->at_ms;
  standing.arch = status->arch;
  return true;
}

}  // namespace

Result<std::vector<SeenStanding>> seen_standings(Connection& connection, Statement& rows,
                                                 std::int64_t seq) {
  WS_TRY(std::vector<SeenStanding> all, read_rows(rows.reset().bind(seq), [](const Statement& row) {
           return SeenStanding{hit_of(row), row.integer(2), row.text(9)};
         }));
  std::vector<SeenStanding> seen;
  for (SeenStanding& standing : all) {
    WS_TRY(const bool shown, show_seen(connection, standing));
    if (shown) {
      seen.push_back(std::move(standing));
    }
  }
  return seen;
}

Result<bool> keep_seen_words(Connection& connection, std::int64_t seq, Reasons& reasons) {
  if (current_viewer().sees_all || reasons.words.empty()) {
    return true;
  }
  WS_TRY(const std::optional<std::string> text, seen_words_of_kernel(connection, seq));
  if (!text) {
    return true;
  }
  std::erase_if(reasons.words, [padded = " " + *text + " "](const std::string& word) {
    return padded.find(" " + word + " ") == std::string::npos;
  });
  return !reasons.words.empty() || reasons.nearness || reasons.common_share ||
         reasons.operations_share;
}

}  // namespace ws::store
