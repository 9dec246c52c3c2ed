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

/// A row of the statement in seen_standings().
struct StandingRow {
  SeenStanding standing;
  bool seen = false;  ///< Its evidence and its baseline.
};

}  // namespace

Result<std::vector<std::vector<SeenStanding>>> seen_standings(
    Connection& connection, const std::vector<std::int64_t>& numbers) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT k.kernel_id, p.problem_id, k.fingerprint, "
                            "coalesce(s.device, ''), s.state, s.verdict, s.evidence_id, s.ratio, "
                            "s.against, s.arch, s.at_ms, CASE WHEN 1 = 1" +
                            and_seen("s.evidence_id") + and_seen("s.against") +
                            " THEN 1 ELSE 0 END FROM indexed_kernels k "
                            "JOIN problem_facts p ON p.seq = k.problem "
                            "LEFT JOIN standings s ON s.kernel = k.seq WHERE k.seq = ?"));
  std::vector<std::vector<StandingRow>> all(numbers.size());
  WS_CHECK(for_each_run(
      rows, numbers.size(),
      [&](Statement& statement, std::size_t i) { statement.bind(numbers[i]); },
      [&](std::size_t i, const Statement& row) {
        all[i].push_back({{hit_of(row), row.integer(2), row.text(9)}, row.integer(11) != 0});
      }));
  std::vector<std::vector<SeenStanding>> seen(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (StandingRow& row : all[i]) {
      const auto shown = row.seen ? Result<bool>(true) : show_seen(connection, row.standing);
      WS_TRY(const bool is_shown, shown);
      if (is_shown) {
        seen[i].push_back(std::move(row.standing));
      }
    }
  }
  return seen;
}

Result<std::size_t> count_unjudged(Connection& connection, const std::vector<std::int64_t>& numbers,
                                   const std::string& exclude) {
  WS_TRY(Statement row,
         connection.prepare("SELECT states, kernel_id FROM indexed_kernels WHERE seq = ?"));
  std::size_t count = 0;
  std::vector<std::int64_t> judged;  // By evidence that may be hidden.
  WS_CHECK(for_each_run(
      row, numbers.size(), [&](Statement& statement, std::size_t i) { statement.bind(numbers[i]); },
      [&](std::size_t i, const Statement& kernel) {
        if (kernel.text(1) == exclude) {
          return;
        }
        if (kernel.integer(0) != 0) {
          judged.push_back(numbers[i]);
        } else {
          ++count;
        }
      }));
  WS_TRY(const auto standings, seen_standings(connection, judged));
  return count +
         static_cast<std::size_t>(std::count_if(standings.begin(), standings.end(),
                                                [](const auto& list) { return list.empty(); }));
}

Status drop_hidden_words(Connection& connection, const std::vector<std::int64_t>& numbers,
                         Candidates& found) {
  std::vector<std::int64_t> by_words;
  for (const std::int64_t number : numbers) {
    if (!current_viewer().sees_all && !found.kernels[number].words.empty()) {
      by_words.push_back(number);
    }
  }
  WS_TRY(const std::vector<std::int64_t> hidden, with_hidden_labels(connection, by_words));
  for (const std::int64_t number : hidden) {
    WS_TRY(const std::string text, seen_words_of_kernel(connection, number));
    Reasons& reasons = found.kernels[number];
    std::erase_if(reasons.words, [padded = " " + text + " "](const std::string& word) {
      return padded.find(" " + word + " ") == std::string::npos;
    });
    if (reasons.words.empty() && !reasons.nearness && !reasons.common_share &&
        !reasons.operations_share) {
      found.kernels.erase(number);
    }
  }
  return {};
}

}  // namespace ws::store
