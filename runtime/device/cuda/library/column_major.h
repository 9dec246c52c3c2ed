// A product in the form that cuBLAS takes, whose matrices are stored column after column.
#pragma once

#include <cstdint>

#include "runtime/device/library_run.h"

namespace ws::cuda {

/// A matrix as it is stored.
struct ColumnMajor {
  std::uint32_t buffer = 0;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t lead = 1;  ///< From a column to the next, in elements.
  std::int64_t batch_stride = 0;
  bool transposed = false;  ///< The product's operand is the transpose of what is stored.
};

/// result = left right.
struct ColumnMajorGemm {
  ColumnMajor left;
  ColumnMajor right;
  ColumnMajor result;
};

/// Where the rows of c lie one after the other this is c^T = b^T a^T, else c = a b.
/// @param call  Each matrix has a stride of 1, or one row or column, and its lines do not overlap.
ColumnMajorGemm column_major(const GemmCall& call);

}  // namespace ws::cuda
