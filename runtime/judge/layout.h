// Walking the elements of a strided buffer, row by row, and reading a row as doubles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernel/plan/plan.h"

namespace ws {

/// A buffer seen as rows of its last dimension; a scalar is one row of one element.
class RowView {
 public:
  explicit RowView(const BufferSpec& spec);

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  [[nodiscard]] std::int64_t columns() const { return columns_; }

  /// Elements between neighbours within a row.
  [[nodiscard]] std::int64_t column_stride() const { return column_stride_; }

  /// Where row `row` begins, in elements from the buffer's start.
  [[nodiscard]] std::int64_t row_offset(std::int64_t row) const;

  /// The place in the buffer of logical (row-major) element `element`.
  [[nodiscard]] std::int64_t offset_of(std::int64_t element) const {
    return row_offset(element / columns_) + element % columns_ * column_stride_;
  }

  /// Calls visit(row, begin, end) for the columns [begin, end) of each row that the logical
  /// elements [first, last) reach, in order.
  template <typename Visit>
  void for_rows(std::int64_t first, std::int64_t last, const Visit& visit) const {
    while (first < last) {
      const std::int64_t begin = first % columns_;
      const std::int64_t end = std::min(columns_, begin + last - first);
      visit(first / columns_, begin, end);
      first += end - begin;
    }
  }

  /// The index, outermost first, of logical element `element`.
  [[nodiscard]] std::vector<std::int64_t> index_of(std::int64_t element) const;

 private:
  const BufferSpec* spec_;
  std::int64_t rows_ = 1;
  std::int64_t columns_ = 1;
  std::int64_t column_stride_ = 1;
  bool dense_ = true;  ///< Row-major without gaps: row_offset is one product.
};

/// Reads out.size() elements from element `first` on, `stride` apart, as doubles.
void load_row(DType type, const void* data, std::int64_t first, std::int64_t stride,
              std::span<double> out);

/// Writes what load_row() reads, each value as store_element() rounds it.
void store_row(DType type, void* data, std::int64_t first, std::int64_t stride,
               std::span<const double> values);

/// One flag for each element of the span: true where the shape and strides reach it.
/// @param spec   Any strides, overlapping ones too.
std::vector<bool> used_elements(const BufferSpec& spec);

}  // namespace ws
