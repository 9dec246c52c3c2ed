// Writes drawn values into a canvas, inside the argument's domain and its type's range.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "runtime/judge/draws.h"
#include "runtime/judge/layout.h"

namespace ws {

/// Closed interval of allowed values.
struct Bounds {
  double low;
  double high;

  [[nodiscard]] bool contains(double value) const { return value >= low && value <= high; }

  /// Reflects an outside value at the ends until it is inside: no mass piles up at an end.
  [[nodiscard]] double fold(double value) const {
    const double width = high - low;
    if (!(width > 0) || !std::isfinite(width) || !std::isfinite(value)) {
      return std::clamp(value, low, high);
    }
    const double turn = std::fmod(std::abs(value - low), 2 * width);
    return low + (turn > width ? 2 * width - turn : turn);
  }
};

/// The argument's domain cut to what its type holds; whole numbers for integer types.
inline Bounds bounds_of(const ArgSpec& arg) {
  const double largest = max_finite(arg.type);
  const bool is_unsigned = arg.type == DType::kU64 || arg.type == DType::kU32 ||
                           arg.type == DType::kU16 || arg.type == DType::kU8 ||
                           arg.type == DType::kBool;
  Bounds bounds{is_unsigned ? 0 : -largest, largest};
  if (arg.domain) {
    bounds = {std::max(bounds.low, arg.domain->first), std::min(bounds.high, arg.domain->second)};
    if (!is_float(arg.type)) {
      bounds = {std::ceil(bounds.low), std::floor(bounds.high)};
    }
  }
  return bounds;
}

/// Stores draw(row, column) in every element, row by row. `draw` returns a double.
template <typename Draw>
void paint(const Canvas& canvas, Draw draw) {
  const RowView view(canvas.spec);
  const Bounds bounds = bounds_of(canvas.arg);
  const DType type = canvas.spec.type;
  const bool whole = !is_float(type);
  const bool single = type == DType::kF32;
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    std::int64_t offset = view.row_offset(row);
    for (std::int64_t column = 0; column < view.columns(); ++column) {
      double value = draw(row, column);
      if (whole) {
        value = std::nearbyint(value);
      }
      if (!bounds.contains(value)) {
        value = bounds.fold(value);
      }
      if (single) {  // The common type, without a call for each element.
        const auto narrow = static_cast<float>(value);
        std::memcpy(canvas.bytes.data() + offset * 4, &narrow, sizeof narrow);
      } else {
        store_element(type, canvas.bytes.data(), static_cast<std::size_t>(offset), value);
      }
      offset += view.column_stride();
    }
  }
}

}  // namespace ws
