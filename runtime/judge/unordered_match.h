// Which row of one launch is which row of the other; used by unordered*.cpp only.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/judge/unordered_pairs.h"

namespace ws {

inline constexpr std::int64_t kNoRow = -1;

/// The rows of two launches in pairs of rows that are alike, each row in one pair at most.
struct RowMatching {
  std::vector<std::int64_t> partner;  ///< By row of the reference; kNoRow: it has none.
  std::vector<std::int64_t> missing;  ///< The reference's rows without a partner, ascending.
  std::vector<std::int64_t> surplus;  ///< Those of the other launch.
  /// False: the search has ended at its limit. Then `missing` and `surplus` have only rows that are
  /// certain to have no partner.
  bool complete = true;
  std::int64_t open = 0;  ///< The rows of the reference that are not certain to have none.
};

/// Finds as many pairs as there can be, as one row may be alike to several: first in the order of
/// the rows, then by augmenting paths over rows that are close in two columns.
///
/// Source: J. Hopcroft, R. Karp, "An n^(5/2) algorithm for maximum matchings in bipartite graphs"
/// (1973): a row that no augmenting path begins at has a partner in no larger matching.
///
/// @param most_compared  The search ends once so many elements have been compared, or an eighth of
///                       them where a row is certain to be missing, and may take as many again to
///                       see which rows are alike to none.
RowMatching match_rows(RowPairs& pairs, std::int64_t most_compared);

}  // namespace ws
