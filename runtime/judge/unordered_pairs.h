// The rows of two launches of an output without order, and whether two of them may be the same one.
// Used by unordered*.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/judge/row_scale.h"
#include "runtime/judge/unordered.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// The elements of a row, which is an item of the first dimension.
std::int64_t row_length(const BufferSpec& spec);

inline double element_of(const BufferSpec& spec, std::span<const std::byte> bytes,
                         std::int64_t at) {
  return load_element(spec.type, bytes.data(), static_cast<std::size_t>(at));
}

/// The rows that stand at `places`, one after the other.
std::vector<std::byte> rows_at(std::span<const std::byte> bytes, std::size_t row_bytes,
                               const std::vector<std::int64_t>& places);

/// A row of one launch: of all outputs that belong together.
struct RowOf {
  const std::vector<std::span<const std::byte>>& bytes;
  std::int64_t row;
};

/// Negative where `a` comes before `b`: by value, NaN last, then by bits, as +0 and -0 are equal.
/// Whole numbers are compared exactly, also where a double does not hold them.
int order_of_rows(const std::vector<BufferSpec>& specs, const RowOf& a, const RowOf& b);

/// A column of the rows: an element of one of the outputs that belong together.
struct RowColumn {
  std::size_t part = 0;  ///< The output's place among them.
  std::int64_t at = 0;
};

/// The sorted rows of two launches.
class RowPairs {
 public:
  /// @param got, want, bounds  Live longer. @param bounds  The bound of each output of `want`.
  RowPairs(const SortedRows& got, const SortedRows& want, const std::vector<ErrorBound>& bounds);

  [[nodiscard]] std::int64_t got_rows() const { return got_rows_; }

  [[nodiscard]] std::int64_t want_rows() const { return want_rows_; }

  [[nodiscard]] std::vector<RowColumn> columns() const;

  [[nodiscard]] double got_value(RowColumn column, std::int64_t row) const;
  [[nodiscard]] double want_value(RowColumn column, std::int64_t row) const;

  /// The amount by which the element of a row of `want` may be off; 0: it must be equal.
  [[nodiscard]] double allowed(RowColumn column, std::int64_t want) const;

  [[nodiscard]] bool within(RowColumn column, std::int64_t got, std::int64_t want) const;

  /// Whether every element of the row `got` is within its bound of that of `want`.
  [[nodiscard]] bool alike(std::int64_t got, std::int64_t want);

  /// Negative where the row `want` comes before the row `got`.
  [[nodiscard]] int order(std::int64_t want, std::int64_t got) const;

  /// Whether going through both sides in their order finds as many pairs as there can be: only the
  /// last column may be off, and by an amount that keeps the order of what it may be.
  [[nodiscard]] bool order_decides() const;

  /// How many elements alike() has compared.
  [[nodiscard]] std::int64_t compared() const { return compared_; }

 private:
  [[nodiscard]] std::int64_t place_of(RowColumn column, std::int64_t row) const {
    return row * lengths_[column.part] + column.at;
  }

  const std::vector<BufferSpec>& specs_;
  const std::vector<ErrorBound>& bounds_;
  std::int64_t got_rows_;
  std::int64_t want_rows_;
  std::vector<std::span<const std::byte>> got_;
  std::vector<std::span<const std::byte>> want_;
  std::vector<std::int64_t> lengths_;          ///< The row length of each output.
  std::vector<std::vector<RowScale>> scales_;  ///< By line of the last dimension.
  std::int64_t compared_ = 0;
};

}  // namespace ws
