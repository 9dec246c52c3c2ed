// The rows of one launch by one of their columns; used by unordered_match.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/judge/unordered_pairs.h"

namespace ws {

/// The column in which the fewest rows are close to each other, by a sample.
/// @param wanted  Rows of the reference: at least one.
RowColumn telling_column(const RowPairs& pairs, const std::vector<std::int64_t>& wanted);

/// The rows of one launch, sorted by one column: those that may be alike to a row of the reference
/// stand side by side.
class RowsByColumn {
 public:
  /// @param pairs  Lives longer.
  RowsByColumn(const RowPairs& pairs, RowColumn column);

  /// Places from `begin` up to `end`.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  /// The places of the rows that are close enough in this column.
  [[nodiscard]] Range near(std::int64_t want) const;

  [[nodiscard]] std::int64_t row_at(std::size_t place) const { return rows_[place].row; }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  struct Keyed {
    double key;
    std::int64_t row;
  };

  const RowPairs& pairs_;
  RowColumn column_;
  std::vector<Keyed> rows_;
  std::size_t numbers_ = 0;  ///< Rows whose key is no NaN; the others stand after them.
};

}  // namespace ws
