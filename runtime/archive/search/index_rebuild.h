// Fills the search index from the rows, for an archive of an older version of this program or an
// index that is wrong.
#pragma once

#include <cstdint>

#include "runtime/archive/store/sqlite.h"

namespace ws::store {

/// Goes in pieces, so that others write in between. What they write is indexed as it always is, and
/// left alone here. A rebuild that is stopped leaves kernels out of the index; check() names them.
class IndexRebuild {
 public:
  /// A kernel with its evidence takes 0.3 ms; so long others wait for the write lock.
  static constexpr std::int64_t kRowsAtOnce = 300;

  /// Whether refs without a label get one, as those of the first version of archives.
  enum class RefLabels : std::uint8_t { kMake, kLeave };

  explicit IndexRebuild(std::int64_t rows_at_once = kRowsAtOnce,
                        RefLabels labels = RefLabels::kMake)
      : rows_at_once_(rows_at_once),
        labels_(labels) {}

  /// The next piece, in the caller's transaction. @return True: there is more to do.
  Result<bool> step(Connection& connection);

 private:
  /// Next rows of a table after last_row_, given to `each`, which says how many bytes it took.
  /// @return True: there may be more.
  template <typename Each>
  Result<bool> rows(Connection& connection, const char* sql, const Each& each);

  Result<bool> problems(Connection& connection);
  Result<bool> empty(Connection& connection);
  Result<bool> kernels(Connection& connection);

  enum class Phase : std::uint8_t { kProblems, kEmpty, kKernels };
  Phase phase_ = Phase::kProblems;
  std::int64_t rows_at_once_;
  RefLabels labels_;
  std::int64_t last_row_ = 0;  ///< The last row that was read of the current table.
  std::int64_t end_ = 0;  ///< Its last row when it began: what comes then is indexed by others.
  /// The numbers in the index after this one are kept free for the rows that are there: what others
  /// store meanwhile stays the newest.
  std::int64_t free_after_ = 0;
};

}  // namespace ws::store
