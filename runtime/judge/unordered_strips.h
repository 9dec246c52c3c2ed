// The rows of one launch by two of their columns, so that those which may be alike to a row of the
// reference are found; used by unordered_match.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/judge/unordered_pairs.h"

namespace ws {

/// Two columns in which few rows are close to each other.
struct TellingColumns {
  RowColumn first;
  RowColumn second;  ///< The first one again where there is no other.
};

/// The most telling ones, by a sample. @param wanted  Rows of the reference: at least one.
TellingColumns telling_columns(const RowPairs& pairs, const std::vector<std::int64_t>& wanted);

/// The rows of one launch, sorted by the first column and cut into strips, each sorted by the
/// second. Each row has a place in this order.
class RowStrips {
 public:
  /// @param pairs  Lives longer.
  RowStrips(const RowPairs& pairs, const TellingColumns& columns);

  /// Places from `begin` up to `end`.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  /// Where all rows stand that are close enough in both columns; in the first strip and the last
  /// one, some are not close in the first column.
  [[nodiscard]] std::vector<Range> near(std::int64_t want) const;

  [[nodiscard]] std::int64_t row_at(std::size_t place) const { return rows_[place].row; }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  struct Keyed {
    double first;
    double second;
    std::int64_t row;
  };

  struct Interval {
    double low;
    double high;
  };

  /// The values that an element may have beside that of `want`.
  [[nodiscard]] Interval close_to(RowColumn column, std::int64_t want) const;

  const RowPairs& pairs_;
  TellingColumns columns_;
  std::vector<Keyed> rows_;
  std::vector<double> ends_;  ///< The largest first key of each strip.
};

}  // namespace ws
