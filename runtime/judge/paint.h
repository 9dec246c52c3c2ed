// Writes drawn values into a canvas, inside the argument's domain and its type's range.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "runtime/base/mix64.h"
#include "runtime/base/parallel.h"
#include "runtime/judge/draws.h"
#include "runtime/judge/layout.h"
#include "runtime/judge/random.h"

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

/// Stores draw(row, column) in elements [first, last), by their row-major numbers.
template <typename Draw>
void paint_part(const Canvas& canvas, std::int64_t first, std::int64_t last, Draw draw) {
  const RowView view(canvas.spec);
  const Bounds bounds = bounds_of(canvas.arg);
  const DType type = canvas.spec.type;
  const bool whole = !is_float(type);
  const bool single = type == DType::kF32;
  view.for_rows(first, last, [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
    std::int64_t offset = view.row_offset(row) + begin * view.column_stride();
    for (std::int64_t column = begin; column < end; ++column) {
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
  });
}

/// Stores draw(row, column) in every element, row by row. `draw` returns a double.
template <typename Draw>
void paint(const Canvas& canvas, Draw draw) {
  paint_part(canvas, 0, canvas.spec.elements, draw);
}

/// Elements that share one stream of random numbers.
inline constexpr std::int64_t kPaintPart = 1 << 16U;

/// Stores draw(random, row, column) in every element: parts at a time, on all cores, each with its
/// own stream and its own copy of `draw`, so that the values do not depend on how many cores there
/// are.
template <typename Draw>
void paint_drawn(const Canvas& canvas, const Draw& draw) {
  const std::int64_t elements = canvas.spec.elements;
  const auto paint_one = [&](std::size_t part) {
    Random random(mix64(canvas.seed + part));
    const std::int64_t first = static_cast<std::int64_t>(part) * kPaintPart;
    paint_part(canvas, first, std::min(elements, first + kPaintPart),
               [&random, own = draw](std::int64_t row, std::int64_t column) mutable {
                 return own(random, row, column);
               });
  };
  const auto parts = static_cast<std::size_t>((elements + kPaintPart - 1) / kPaintPart);
  if (canvas.spec.contiguous()) {
    return parallel_for(parts, paint_one);
  }
  for (std::size_t part = 0; part < parts; ++part) {
    paint_one(part);  // Rows of other layouts may overlap.
  }
}

}  // namespace ws
