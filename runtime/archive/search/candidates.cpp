#include "runtime/archive/search/candidates.h"

#include <algorithm>
#include <utility>

#include "runtime/archive/search/kernel_words.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/search/problem_facts.h"

namespace ws::store {
namespace {

constexpr std::int64_t kMaxProblems = 500;  // Problems of one operation that are compared.
constexpr std::size_t kMaxNeighbours = 12;  // Neighbouring problems whose kernels are looked at.
constexpr std::int64_t kKernelsOfProblem =
    60;                                      // Kernels of the problem, on the device and elsewhere:
constexpr std::int64_t kKernelsOfOther = 8;  // many may be near-duplicates. Of each other one.
constexpr std::int64_t kWordMatches = 200;   // The newest.

std::int64_t most_of(const Neighbour& problem) {
  return problem.nearness == 1 ? kKernelsOfProblem : kKernelsOfOther;
}

/// The fastest kernels of each problem in one state. @param device  Empty: on any.
Status add_by_status(Connection& connection, const std::vector<Neighbour>& problems, State state,
                     const std::string& device, Candidates& found) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT kernel FROM standings WHERE problem = ? AND state = ?" +
                            std::string(device.empty() ? "" : " AND device = ?") +
                            and_seen_number("standings.kernel") + " ORDER BY " +
                            (device.empty() ? "device DESC, " : "") +
                            "CASE WHEN against = 'reference' THEN ratio END DESC NULLS LAST "
                            "LIMIT ?"));
  std::vector<std::int64_t> counts(problems.size());
  return for_each_run(
      rows, problems.size(),
      [&](Statement& statement, std::size_t i) {
        statement.bind(problems[i].seq).bind(static_cast<std::int64_t>(state));
        if (!device.empty()) {
          statement.bind(device);
        }
        statement.bind(most_of(problems[i]));
      },
      [&](std::size_t i, const Statement& row) {
        found.kernels[row.integer(0)].nearness = problems[i].nearness;
        found.cut = found.cut || ++counts[i] == most_of(problems[i]);
      });
}

/// The newest kernels of each problem that were never judged.
Status add_unjudged(Connection& connection, const std::vector<Neighbour>& problems,
                    Candidates& found) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT i.seq, i.states FROM kernels k JOIN indexed_kernels i "
                            "ON i.kernel_id = k.id WHERE k.problem_id = (SELECT problem_id FROM "
                            "problem_facts WHERE seq = ?)" +
                            and_seen("k.id") + " ORDER BY k.rowid DESC LIMIT ?"));
  return for_each_run(
      rows, problems.size(),
      [&](Statement& statement, std::size_t i) {
        statement.bind(problems[i].seq).bind(kKernelsOfProblem);
      },
      [&](std::size_t i, const Statement& row) {
        if (row.integer(1) == 0) {
          found.kernels[row.integer(0)].nearness = problems[i].nearness;
        }
      });
}

void add_words(Reasons& reasons, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (std::find(reasons.words.begin(), reasons.words.end(), word) == reasons.words.end()) {
      reasons.words.push_back(word);
    }
  }
}

/// Adds the newest kernels of a table that have all of these words.
Status add_matches(Connection& connection, State state, const std::vector<std::string>& words,
                   std::int64_t most, Candidates& found) {
  WS_TRY(Statement rows, rows_with_words(connection, state, words, most));
  const auto note = [&](Reasons& reasons) { add_words(reasons, words); };
  return add_kernels(rows, most, note, found);
}

}  // namespace

std::vector<std::int64_t> sums_with(State state) {
  const auto own = static_cast<std::int64_t>(state);
  return state == State::kUnjudged ? std::vector{own} : std::vector{own, kAllStates};
}

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
  WS_TRY(Statement others,
         connection.prepare("SELECT seq, facts FROM problem_facts WHERE op = ? "
                            "AND seq <> ?" +
                            and_seen("problem_facts.problem_id") + " ORDER BY seq DESC LIMIT ?"));
  others.bind(op).bind(all.front().seq).bind(kMaxProblems);
  WS_CHECK(for_each_row(others, [&](const Statement& other) {
    // Only the problem itself is as near as can be.
    constexpr double kMostOfAnother = 0.95;
    const double near = nearness(facts, facts_from_text(op, other.text(1)));
    all.push_back({other.integer(0), std::min(near, kMostOfAnother)});
  }));
  cut = cut || std::cmp_greater(all.size(), kMaxProblems);
  std::stable_sort(all.begin(), all.end(),
                   [](const Neighbour& a, const Neighbour& b) { return a.nearness > b.nearness; });
  all.resize(std::min(all.size(), kMaxNeighbours));
  return all;
}

Status add_by_problem(Connection& connection, const std::vector<Neighbour>& problems,
                      const std::string& device, State state, Candidates& found) {
  if (state == State::kUnjudged) {
    return add_unjudged(connection, problems, found);
  }
  WS_CHECK(add_by_status(connection, problems, state, device, found));
  return add_by_status(connection, problems, state, {}, found);
}

Status add_by_words(Connection& connection, const SearchRequest& request, State state,
                    Candidates& found) {
  const std::size_t before = found.kernels.size();
  WS_CHECK(add_matches(connection, state, request.words, kWordMatches, found));
  if (request.words.size() == 1 || found.kernels.size() - before >= request.limit) {
    return {};
  }
  for (const std::string& word : request.words) {
    WS_CHECK(add_matches(connection, state, {word}, kWordMatches, found));
  }
  return {};
}

}  // namespace ws::store
