// Reads every row and computes its id again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/kernel/problem.h"

namespace ws::store {

/// Goes in pieces, each in a snapshot of its own: one that lasts keeps the write-ahead log of those
/// who write meanwhile from being emptied. Rows that come after the first piece do not count, and
/// those that are there never change.
class RowCheck {
 public:
  static constexpr std::int64_t kRowsAtOnce = 1000;

  explicit RowCheck(std::int64_t rows_at_once = kRowsAtOnce)
      : rows_at_once_(rows_at_once) {}

  /// The next piece. @return True: there is more to read.
  Result<bool> step(Connection& connection);

  /// The findings, once all is read.
  [[nodiscard]] const ArchiveCheck& found() const { return check_; }

 private:
  Status find_ends(Connection& connection);
  void check_row(Connection& connection, const Statement& row);
  Result<std::string> problem_id(const std::string& json);
  Result<std::string> kernel_id(Connection& connection, const std::string& problem_id,
                                const std::string& json);
  void note(const std::string& id, const Result<std::string>& worked_out);

  static constexpr std::size_t kTables = 4;
  std::int64_t rows_at_once_;
  std::array<std::int64_t, kTables> ends_{};  ///< The last row of each table; none: not known yet.
  bool begun_ = false;
  std::size_t table_ = 0;
  std::int64_t last_row_ = 0;
  std::map<std::string, Problem> problems_;  ///< The problems of the kernels that were read last.
  ArchiveCheck check_;
};

}  // namespace ws::store
