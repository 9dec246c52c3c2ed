// The kernels that a search looks at, by one criterion each. Every list has a bound, so that a
// search takes as long in a large archive as in a small one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/search.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// Why a kernel is looked at.
struct Reasons {
  std::optional<double> nearness;
  std::vector<std::string> words;
  std::optional<double> common_share;
  std::optional<double> operations_share;
};

struct Candidates {
  std::map<std::int64_t, Reasons> kernels;  ///< By their number in the index.
  bool cut = false;                         ///< A bound was reached.
};

/// A problem that is like the one asked for.
struct Neighbour {
  std::int64_t seq = 0;  ///< Its number in the index.
  double nearness = 0;   ///< See nearness().
};

/// Notes of each kernel in `rows`, by its number in their first column, why it is looked at.
/// @param most  The bound on `rows`.
template <typename Note>
Status add_kernels(Statement& rows, std::int64_t most, const Note& note, Candidates& found) {
  WS_TRY(const std::int64_t count,
         for_each_row(rows, [&](const Statement& row) { note(found.kernels[row.integer(0)]); }));
  found.cut = found.cut || count == most;
  return {};
}

/// The same of many runs of a statement (for_each_run()).
/// @param most  The bound on the rows of each run. @param note  note(run, reasons).
template <typename Bind, typename Note>
Status add_kernels(Statement& statement, std::size_t runs, std::int64_t most, const Bind& bind,
                   const Note& note, Candidates& found) {
  std::vector<std::int64_t> counts(runs);
  WS_CHECK(for_each_run(statement, runs, bind, [&](std::size_t run, const Statement& row) {
    note(run, found.kernels[row.integer(0)]);
    found.cut = found.cut || ++counts[run] == most;
  }));
  return {};
}

/// At most a third of the hits are failures, so it is enough to look at that many fewer of them.
constexpr std::size_t thrift(State state) {
  return state == State::kFailed ? 2 : 1;
}

/// The sums of states that a kernel in `state` may have; of kUnjudged only its own.
std::vector<std::int64_t> sums_with(State state);

// Each looks only at kernels in one state, with bounds of its own: what was never judged hides
// nothing that was.

/// The problem and those of the same operation, the nearest first.
/// @errors kNotFound: no such problem.
Result<std::vector<Neighbour>> neighbours(Connection& connection, const std::string& problem_id,
                                          bool& cut);

/// Kernels of these problems: the fastest of each; of what was never judged the newest.
/// @param device  Its kernels come first.
Status add_by_problem(Connection& connection, const std::vector<Neighbour>& problems,
                      const std::string& device, State state, Candidates& found);

/// Kernels that have all of the words, themselves or in labels; then those that have some.
Status add_by_words(Connection& connection, const SearchRequest& request, State state,
                    Candidates& found);

/// Kernels whose code is like it.
Status add_by_code(Connection& connection, const SearchRequest& request, State state,
                   Candidates& found);

/// Kernels whose lifted programs compute much the same as that of `kernel_id`; none where that was
/// never lifted.
Status add_by_operations(Connection& connection, const std::string& kernel_id, State state,
                         Candidates& found);

/// A stored fingerprint and how much of its code is common.
struct LikeFingerprint {
  std::int64_t id = 0;
  double common_share = 0;
};

/// Token by token, in a search for kernels that passed.
inline constexpr std::size_t kMaxCompared = 16;

/// The most alike, best first.
/// @param runs  As of token_runs(); none: nothing is like it.
/// @param sums  Only of code whose kernels have one of these sums of states.
/// @param compared  So many are compared token by token, and returned.
Result<std::vector<LikeFingerprint>> like_fingerprints(Connection& connection,
                                                       const std::vector<std::uint64_t>& runs,
                                                       const std::vector<std::int64_t>& sums,
                                                       std::size_t compared);

}  // namespace ws::store
