// Rows of outputs without order, compared with each other; used by unordered.cpp and
// unordered_match.cpp only.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/kernel/plan/plan.h"

namespace ws {

/// The elements of a row, which is an item of the first dimension.
inline std::int64_t row_length(const BufferSpec& spec) {
  std::int64_t length = 1;
  for (std::size_t axis = 1; axis < spec.shape.size(); ++axis) {
    length *= spec.shape[axis];
  }
  return length;
}

inline double element_of(const BufferSpec& spec, std::span<const std::byte> bytes,
                         std::int64_t at) {
  return load_element(spec.type, bytes.data(), static_cast<std::size_t>(at));
}

/// A row of one launch: of all outputs that belong together.
struct RowOf {
  const std::vector<std::span<const std::byte>>& bytes;
  std::int64_t row;
};

/// Negative where `a` comes before `b`: by value, NaN last, then by bits, as whole numbers beyond
/// 2^53 are equal as doubles.
inline int order_of_rows(const std::vector<BufferSpec>& specs, const RowOf& a, const RowOf& b) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::int64_t length = row_length(specs[i]);
    for (std::int64_t column = 0; column < length; ++column) {
      const double x = element_of(specs[i], a.bytes[i], a.row * length + column);
      const double y = element_of(specs[i], b.bytes[i], b.row * length + column);
      if (std::isnan(x) != std::isnan(y)) {
        return std::isnan(y) ? -1 : 1;
      }
      if (x < y || x > y) {
        return x < y ? -1 : 1;
      }
    }
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::size_t size =
        static_cast<std::size_t>(row_length(specs[i])) * size_of(specs[i].type);
    const int order = std::memcmp(a.bytes[i].data() + static_cast<std::size_t>(a.row) * size,
                                  b.bytes[i].data() + static_cast<std::size_t>(b.row) * size, size);
    if (order != 0) {
      return order;
    }
  }
  return 0;
}

}  // namespace ws
