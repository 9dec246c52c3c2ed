// The kernels that a search looks at, by one criterion each. Every list has a bound, so that a
// search takes as long in a large archive as in a small one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/search.h"
#include "runtime/archive/sqlite.h"

namespace ws::store {

/// Why a kernel is looked at.
struct Reasons {
  std::optional<double> nearness;
  std::vector<std::string> words;
  std::optional<double> common_share;
};

struct Candidates {
  std::map<std::int64_t, Reasons> kernels;  ///< By their number in the index.
  bool cut = false;                         ///< A bound was reached.
};

/// Also kernels that were never judged.
inline constexpr std::int64_t kAnyState = 0;

/// What lists are read for, as `State` or kAnyState: each has its own bound, so that what was never
/// judged hides nothing that was.
std::vector<std::int64_t> states_of(const SearchRequest& request);

/// Kernels of the problem and of its neighbours: the fastest of each.
/// @errors kNotFound: no such problem.
Status add_by_problem(Connection& connection, const SearchRequest& request, Candidates& found);

/// Kernels that have all of the words, themselves or in a label; then those that have some.
Status add_by_words(Connection& connection, const SearchRequest& request, Candidates& found);

/// Kernels whose code is like it.
Status add_by_code(Connection& connection, const SearchRequest& request, Candidates& found);

/// A stored fingerprint and how much of its code is common.
struct LikeFingerprint {
  std::int64_t id = 0;
  double common_share = 0;
};

/// The most alike, best first.
/// @param runs  As of token_runs(); none: nothing is like it.
/// @param state  Only of kernels that are in it; or kAnyState.
Result<std::vector<LikeFingerprint>> like_fingerprints(Connection& connection,
                                                       const std::vector<std::uint64_t>& runs,
                                                       std::size_t most,
                                                       std::int64_t state = kAnyState);

}  // namespace ws::store
