#include "runtime/device/cuda/library/column_major.h"

#include <algorithm>

namespace ws::cuda {
namespace {

/// The operand of `rows` and `columns` whose elements lie `row` and `column` apart.
ColumnMajor operand(const GemmMatrix& matrix, std::int64_t rows, std::int64_t columns,
                    std::int64_t row, std::int64_t column) {
  const bool stored = row == 1 || rows == 1;  // Else its columns' elements lie in a row.
  ColumnMajor form{.buffer = matrix.buffer,
                   .rows = stored ? rows : columns,
                   .columns = stored ? columns : rows,
                   .lead = stored ? column : row,
                   .batch_stride = matrix.batch_stride,
                   .transposed = !stored};
  if (form.columns == 1) {
    form.lead = std::max(form.lead, form.rows);  // A single column says nothing.
  }
  return form;
}

ColumnMajor as_it_is(const GemmMatrix& matrix, std::int64_t rows, std::int64_t columns) {
  return operand(matrix, rows, columns, matrix.row_stride, matrix.column_stride);
}

ColumnMajor transpose_of(const GemmMatrix& matrix, std::int64_t rows, std::int64_t columns) {
  return operand(matrix, columns, rows, matrix.column_stride, matrix.row_stride);
}

}  // namespace

ColumnMajorGemm column_major(const GemmCall& call) {
  if (call.c.column_stride == 1 || call.n == 1) {
    return {.left = transpose_of(call.b, call.k, call.n),
            .right = transpose_of(call.a, call.m, call.k),
            .result = transpose_of(call.c, call.m, call.n)};
  }
  return {.left = as_it_is(call.a, call.m, call.k),
          .right = as_it_is(call.b, call.k, call.n),
          .result = as_it_is(call.c, call.m, call.n)};
}

}  // namespace ws::cuda
