#include "runtime/archive/candidates.h"

#include <algorithm>
#include <utility>

#include "runtime/archive/standing.h"
#include "runtime/archive/store.h"
#include "runtime/search/problem_facts.h"

namespace ws::store {
namespace {

constexpr std::int64_t kMaxProblems = 500;      // Of one operation that are compared.
constexpr std::size_t kMaxNeighbours = 12;      // Whose kernels are looked at.
constexpr std::int64_t kKernelsOfProblem = 60;  // Of the problem, on the device and elsewhere:
constexpr std::int64_t kKernelsOfOther = 8;     // many may be near-duplicates. Of each other one.
constexpr std::int64_t kWordMatches = 200;      // In each state, the newest.

struct Neighbour {
  std::int64_t seq = 0;
  double nearness = 0;
};

Result<std::vector<Neighbour>> neighbours(Connection& connection, const std::string& problem_id,
                                          bool& cut) {
  WS_TRY([[maybe_unused]] const ProblemRow known, problem(connection, problem_id));
  WS_TRY(Statement own,
         connection.prepare("SELECT op, facts, seq FROM problem_facts WHERE problem_id = ?"));
  WS_TRY(const bool found, own.bind(problem_id).step());
  if (!found) {
    return std::vector<Neighbour>();
  }
  const std::string op = own.text(0);
  const ProblemFacts facts = facts_from_text(op, own.text(1));
  std::vector<Neighbour> all = {{own.integer(2), 1}};
  WS_TRY(Statement others, connection.prepare("SELECT seq, facts FROM problem_facts WHERE op = ? "
                                              "AND seq <> ? ORDER BY seq DESC LIMIT ?"));
  others.bind(op).bind(all.front().seq).bind(kMaxProblems);
  while (true) {
    WS_TRY(const bool more, others.step());
    if (!more) {
      break;
    }
    // Only the problem itself is as near as can be.
    constexpr double kMostOfAnother = 0.95;
    const double near = nearness(facts, facts_from_text(op, others.text(1)));
    all.push_back({others.integer(0), std::min(near, kMostOfAnother)});
  }
  cut = cut || std::cmp_greater(all.size(), kMaxProblems);
  std::stable_sort(all.begin(), all.end(),
                   [](const Neighbour& a, const Neighbour& b) { return a.nearness > b.nearness; });
  all.resize(std::min(all.size(), kMaxNeighbours));
  return all;
}

/// The fastest kernels of a problem in one state. @param device  Empty: on any.
Status add_standing(Connection& connection, const Neighbour& problem, State state,
                    const std::string& device, Candidates& found) {
  WS_TRY(
      Statement rows,
      connection.prepare(
          device.empty()
              ? "SELECT kernel FROM standings WHERE problem = ? AND state = ? "
                "ORDER BY device DESC, CASE WHEN against = 'reference' THEN ratio END DESC LIMIT ?"
              : "SELECT kernel FROM standings WHERE problem = ? AND state = ? "
                "AND device = ? ORDER BY CASE WHEN against = 'reference' THEN ratio END DESC LIMIT "
                "?"));
  rows.bind(problem.seq).bind(static_cast<std::int64_t>(state));
  if (!device.empty()) {
    rows.bind(device);
  }
  const std::int64_t most = problem.nearness == 1 ? kKernelsOfProblem : kKernelsOfOther;
  rows.bind(most);
  std::int64_t count = 0;
  while (true) {
    WS_TRY(const bool more, rows.step());
    if (!more) {
      break;
    }
    found.kernels[rows.integer(0)].nearness = problem.nearness;
    ++count;
  }
  found.cut = found.cut || count == most;
  return {};
}

/// FTS5 takes a text in double quotes as one word, whatever is in it; these hold no quotes.
std::string match_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "\"" : " AND \"") + word + "\"";
  }
  return text;
}

/// Numbers of kernels in their own words and in labels, the newest first; ?2: those in that state
/// only, or of any where it is 0.
constexpr const char* kOwnWords =
    "SELECT rowid FROM kernel_words WHERE kernel_words MATCH ?1 AND (?2 = 0 OR EXISTS "
    "(SELECT 1 FROM standings s WHERE s.kernel = kernel_words.rowid AND s.state = ?2)) "
    "ORDER BY rowid DESC LIMIT ?3";
constexpr const char* kLabelWords =
    "SELECT k.seq FROM label_words w LEFT JOIN labels l ON l.seq = w.rowid "
    "LEFT JOIN indexed_kernels k ON k.kernel_id = l.kernel_id "
    "WHERE w.label_words MATCH ?1 AND (?2 = 0 OR EXISTS "
    "(SELECT 1 FROM standings s WHERE s.kernel = k.seq AND s.state = ?2)) "
    "ORDER BY w.rowid DESC LIMIT ?3";

void add_words(Reasons& reasons, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (std::find(reasons.words.begin(), reasons.words.end(), word) == reasons.words.end()) {
      reasons.words.push_back(word);
    }
  }
}

/// Adds the newest kernels in each state that is asked for, and the newest of all.
Status add_matches(Connection& connection, const char* sql, const std::vector<std::string>& words,
                   const SearchRequest& request, Candidates& found) {
  for (const std::int64_t state : states_of(request)) {
    WS_TRY(Statement rows, connection.prepare(sql));
    rows.bind(match_text(words)).bind(state).bind(kWordMatches);
    std::int64_t count = 0;
    while (true) {
      WS_TRY(const bool more, rows.step());
      if (!more) {
        break;
      }
      ++count;
      if (rows.integer(0) != 0) {  // The label of a kernel that is gone has none.
        add_words(found.kernels[rows.integer(0)], words);
      }
    }
    found.cut = found.cut || count == kWordMatches;
  }
  return {};
}

}  // namespace

std::vector<std::int64_t> states_of(const SearchRequest& request) {
  std::vector<std::int64_t> states = {static_cast<std::int64_t>(State::kPassed)};
  if (request.failures) {
    states.push_back(static_cast<std::int64_t>(State::kFailed));
  }
  states.push_back(kAnyState);
  return states;
}

Status add_by_problem(Connection& connection, const SearchRequest& request, Candidates& found) {
  WS_TRY(const std::vector<Neighbour> problems,
         neighbours(connection, request.problem_id, found.cut));
  for (const Neighbour& problem : problems) {
    for (const State state : {State::kPassed, State::kFailed}) {
      if (state == State::kFailed && !request.failures) {
        continue;
      }
      WS_CHECK(add_standing(connection, problem, state, request.device, found));
      WS_CHECK(add_standing(connection, problem, state, {}, found));
    }
  }
  return {};
}

Status add_by_words(Connection& connection, const SearchRequest& request, Candidates& found) {
  const std::size_t before = found.kernels.size();
  for (const char* sql : {kOwnWords, kLabelWords}) {
    WS_CHECK(add_matches(connection, sql, request.words, request, found));
  }
  if (request.words.size() == 1 || found.kernels.size() - before >= request.limit) {
    return {};
  }
  for (const std::string& word : request.words) {
    for (const char* sql : {kOwnWords, kLabelWords}) {
      WS_CHECK(add_matches(connection, sql, {word}, request, found));
    }
  }
  return {};
}

}  // namespace ws::store
