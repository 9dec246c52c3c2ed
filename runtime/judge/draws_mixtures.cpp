#include <algorithm>
#include <cmath>

#include "runtime/base/mix64.h"
#include "runtime/judge/draws.h"
#include "runtime/judge/fills.h"
#include "runtime/judge/paint.h"
#include "runtime/judge/random.h"

namespace ws {
namespace {

constexpr double kSparseDensity = 0.1;
// At most about so many values of a row are not zero, so that a sum shows each of them.
constexpr double kMostInRow = 256;
// Large values, in standard deviations: with the usual one of 1, exp of them overflows in f32.
constexpr double kLargeLow = 96;
constexpr double kLargeHigh = 128;
constexpr double kLeastLarge = 8;  // Normal numbers themselves come near to it.
constexpr double kLargeDensity = 0.02;
constexpr double kLargestWhole = 8;  // Larger ones add no new case and use up the exact range.

/// Mean and spread of the declared fill, normal or uniform, and the bounds of a uniform draw.
struct Shape {
  double mean;
  double deviation;
  double low;
  double high;
};

Shape shape_of(const ArgSpec& arg) {
  const FillRow& row = *find_fill(arg.fill.kind);
  if (row.kind == FillKind::kUniform) {
    const double low = fill_param(arg, row, "low");
    const double high = fill_param(arg, row, "high");
    return {(low + high) / 2, (high - low) / std::sqrt(12.0), low, high};
  }
  const double deviation = fill_param(arg, row, "std");
  return {fill_param(arg, row, "mean"), deviation, 0, deviation};
}

/// Whole multiples of `step`, from `first`, `count` of them.
struct Grid {
  double first;
  std::int64_t count;
  double step;
};

/// Up to 2 * limit + 1 multiples of `step` inside the bounds, around zero where that is inside.
Grid grid_in(const Bounds& bounds, double limit, double step) {
  const double low = std::ceil(bounds.low / step);
  const double high = std::floor(bounds.high / step);
  const double first = std::clamp(-limit, low, std::max(low, high - limit));
  const double last = std::min(high, std::max(limit, first + limit));
  return {first, static_cast<std::int64_t>(last - first) + 1, step};
}

}  // namespace

Status draw_row_scaled(const Canvas& canvas) {
  const Shape shape = shape_of(canvas.arg);
  Random random(canvas.seed);
  // With a mean of zero, long sums come out near zero, and a kernel that writes zeros is right.
  const double sign = random.next_u32() % 2 == 0 ? 1 : -1;
  const double drawn = sign * (0.25 + 0.5 * random.uniform()) * shape.deviation;
  const double mean = shape.mean == 0 ? drawn : shape.mean;
  // Narrow types would overflow in a sum of products if rows were scaled up.
  const double top = max_finite(canvas.arg.type) > 1e6 ? 4 : 0;
  const std::uint64_t scales = random.next_u64();
  paint_drawn(canvas, [=, scale = 1.0, scaled = std::int64_t{-1}](Random& own, std::int64_t row,
                                                                  std::int64_t /*column*/) mutable {
    if (row != scaled) {
      scale = std::exp2(-4 + (top + 4) *
                                 Random(mix64(scales + static_cast<std::uint64_t>(row))).uniform());
      scaled = row;
    }
    return scale * (mean + shape.deviation * own.normal());
  });
  return {};
}

Status draw_positive(const Canvas& canvas) {
  const Shape shape = shape_of(canvas.arg);
  const Bounds bounds = bounds_of(canvas.arg);
  const double low = std::clamp(shape.low, bounds.low, bounds.high);
  const double high = std::clamp(shape.high, bounds.low, bounds.high);
  paint_drawn(canvas,
              [=](Random& random, auto, auto) { return low + (high - low) * random.uniform(); });
  return {};
}

Status draw_sparse(const Canvas& canvas) {
  const Shape shape = shape_of(canvas.arg);
  const Bounds bounds = bounds_of(canvas.arg);
  const double nothing = std::clamp(0.0, bounds.low, bounds.high);
  const std::int64_t columns = RowView(canvas.spec).columns();
  const double density = std::min(
      kSparseDensity, kMostInRow / static_cast<double>(std::max<std::int64_t>(1, columns)));
  // The first and the last value of a long row are those that loops leave out.
  const std::int64_t last = density < kSparseDensity ? columns - 1 : 0;
  paint_drawn(canvas, [=](Random& random, std::int64_t /*row*/, std::int64_t column) {
    const bool kept = last > 0 && (column == 0 || column == last);
    return kept || random.uniform() < density ? shape.mean + shape.deviation * random.normal()
                                              : nothing;
  });
  return {};
}

std::optional<LargeSpan> large_span(const ArgSpec& arg) {
  const Shape shape = shape_of(arg);
  const Bounds bounds = bounds_of(arg);
  const double room = std::min(bounds.high - shape.mean, shape.mean - bounds.low);
  const double high = std::min(kLargeHigh * shape.deviation, room);
  if (!(high >= kLeastLarge * shape.deviation) || shape.deviation == 0) {
    return std::nullopt;
  }
  return LargeSpan{kLargeLow / kLargeHigh * high, high};
}

Status draw_large(const Canvas& canvas) {
  const Shape shape = shape_of(canvas.arg);
  const LargeSpan span = large_span(canvas.arg).value_or(LargeSpan{0, 0});
  const auto columns =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, RowView(canvas.spec).columns()));
  const std::uint64_t places = Random(canvas.seed).next_u64();
  paint_drawn(canvas, [=](Random& random, std::int64_t row, std::int64_t column) {
    const std::uint64_t place = mix64(places + static_cast<std::uint64_t>(row)) % columns;
    const bool chosen = static_cast<std::uint64_t>(column) == place;
    if (!chosen && random.uniform() >= kLargeDensity) {
      return shape.mean + shape.deviation * random.normal();
    }
    const double size = span.low + (span.high - span.low) * random.uniform();
    return chosen || random.next_u32() % 2 == 0 ? shape.mean + size : shape.mean - size;
  });
  return {};
}

Status draw_exact(const Canvas& canvas, double reduction_length) {
  const double bits = std::min(24.0, std::max(8.0, -std::log2(unit_roundoff(canvas.arg.type))));
  const double exact_range = std::exp2(bits);
  const double length = std::max(1.0, reduction_length);
  const double limit = std::clamp(std::floor(std::sqrt(exact_range / length)), 1.0, kLargestWhole);
  // Where even ones would leave the exact range, zeros thin them out; 2: signs do not cancel all.
  const double density = std::min(1.0, std::sqrt(exact_range / (2 * length)));
  const Bounds bounds = bounds_of(canvas.arg);
  // Halves are as exact, and show how a kernel rounds what lies between two whole numbers.
  const double step = Random(~canvas.seed).next_u32() % 2 == 0 ? 1 : 0.5;
  Grid grid = grid_in(bounds, limit, step);
  if (grid.count < 2) {
    grid = grid_in(bounds, limit, 1.0 / 16);
  }
  if (grid.count < 1) {
    return draw_positive(canvas);
  }
  const double nothing = bounds.contains(0) ? 0 : grid.first * grid.step;
  paint_drawn(canvas, [=](Random& random, auto, auto) {
    const bool kept = density >= 1 || random.uniform() < density;
    const auto drawn = static_cast<double>(random.below(static_cast<std::uint64_t>(grid.count)));
    return kept ? (grid.first + drawn) * grid.step : nothing;
  });
  return {};
}

}  // namespace ws
