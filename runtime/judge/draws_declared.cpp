#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/base/mix64.h"
#include "runtime/judge/draws.h"
#include "runtime/judge/draws_sparse.h"
#include "runtime/judge/fills.h"
#include "runtime/judge/paint.h"
#include "runtime/judge/random.h"
#include "runtime/kernel/expr/expr.h"

namespace ws {
namespace {

enum class Pattern : std::uint8_t {
  kIdentity,
  kDiagonal,
  kEqualRows,
  kTies,
  kDominant,  ///< Diagonally dominant square matrices.
  kDefinite,  ///< These, symmetric: positive definite.
};
constexpr std::uint64_t kPatternCount = 4;  // The seed chooses among the first: any shape has them.
constexpr std::uint64_t kTieValues = 3;     // So few values that maxima and sort keys repeat.
constexpr std::int64_t kMostComputed = std::int64_t{1} << 22U;
/// Steps of the fill's expression for all elements together: about a second.
constexpr std::int64_t kMostComputedSteps = std::int64_t{1} << 26U;

struct DrawReader {
  const ArgSpec& arg;
  const FillRow& row;

  double operator()(std::string_view name) const { return fill_param(arg, row, name); }
};

void draw_uniform(const Canvas& canvas, double low, double high) {
  if (is_float(canvas.arg.type)) {
    paint_drawn(canvas,
                [=](Random& random, auto, auto) { return low + (high - low) * random.uniform(); });
    return;
  }
  const auto count = static_cast<std::uint64_t>(high - low) + 1;
  paint_drawn(canvas, [=](Random& random, auto, auto) {
    return low + static_cast<double>(random.below(count));
  });
}

void draw_sparse_normal(const Canvas& canvas, const DrawReader& param) {
  const double density = param("density");
  const double mean = param("mean");
  const double deviation = param("std");
  paint_drawn(canvas, [=](Random& random, auto, auto) {
    return random.uniform() < density ? mean + deviation * random.normal() : 0.0;
  });
}

/// From -1 up to 1, by its place alone.
double value_at(std::uint64_t seed, std::int64_t row, std::int64_t column, std::int64_t columns) {
  constexpr unsigned kUnusedBits = 11;
  const std::uint64_t bits = mix64(seed + static_cast<std::uint64_t>(row * columns + column));
  return std::ldexp(static_cast<double>(bits >> kUnusedBits), -52) - 1;
}

/// Square matrices whose diagonal is larger than the rest of its row together.
Status draw_dominant(const Canvas& canvas, bool symmetric) {
  const std::int64_t columns = std::max<std::int64_t>(1, RowView(canvas.spec).columns());
  const auto least = static_cast<double>(columns) + 1;
  if (const Bounds bounds = bounds_of(canvas.arg);
      !bounds.contains(-1) || !bounds.contains(2 * least)) {
    return fail(ErrorCode::kInvalidArgument,
                "argument \"" + canvas.arg.name + "\": a dominant diagonal of up to " +
                    std::to_string(2 * (columns + 1)) +
                    " beside values from -1 to 1 does not fit " +
                    std::string(name_of(canvas.arg.type)) + " and the domain");
  }
  paint(canvas, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t own = row % columns;  // Matrices may stand one behind the other.
    if (own == column) {                     // A diagonal of one number need not be read.
      return least * (1.5 + value_at(canvas.seed, row, column, columns) / 2);
    }
    const bool swapped = symmetric && column < own;
    return value_at(canvas.seed, row - own + (swapped ? column : own), swapped ? own : column,
                    columns);
  });
  return {};
}

Status draw_structured(const Canvas& canvas, double sent) {
  Random random(canvas.seed);
  const auto pattern = static_cast<Pattern>(sent < 0 ? random.below(kPatternCount)
                                                     : static_cast<std::uint64_t>(sent));
  const std::int64_t columns = std::max<std::int64_t>(1, RowView(canvas.spec).columns());
  switch (pattern) {
    case Pattern::kIdentity:
      paint(canvas, [](auto row, auto column) { return row == column ? 1.0 : 0.0; });
      return {};
    case Pattern::kDiagonal:
      paint_drawn(canvas, [](Random& own, auto row, auto column) {
        return row == column ? own.normal() : 0.0;
      });
      return {};
    case Pattern::kEqualRows: {
      std::vector<double> line(static_cast<std::size_t>(columns));
      std::generate(line.begin(), line.end(), [&] { return random.normal(); });
      paint(canvas, [&](auto, auto column) { return line[static_cast<std::size_t>(column)]; });
      return {};
    }
    case Pattern::kDominant:
    case Pattern::kDefinite:
      return draw_dominant(canvas, pattern == Pattern::kDefinite);
    case Pattern::kTies:
      break;
  }
  paint_drawn(canvas,
              [](Random& own, auto, auto) { return static_cast<double>(own.below(kTieValues)); });
  return {};
}

/// Paints `values` in row-major order.
void paint_list(const Canvas& canvas, const std::vector<double>& values) {
  auto next = values.begin();
  paint(canvas, [&](auto, auto) { return *next++; });
}

Status draw_permutation(const Canvas& canvas, double start) {
  const auto count = static_cast<std::size_t>(canvas.spec.elements);
  const double last = start + static_cast<double>(count) - 1;
  if (count > 0 &&
      !(bounds_of(canvas.arg).contains(start) && bounds_of(canvas.arg).contains(last))) {
    return fail(ErrorCode::kInvalidArgument,
                "argument \"" + canvas.arg.name + "\": a permutation of " + std::to_string(count) +
                    " elements does not fit " + std::string(name_of(canvas.arg.type)) +
                    " and the domain");
  }
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), start);
  Random random(canvas.seed);
  for (std::size_t i = count; i > 1; --i) {  // Fisher-Yates.
    std::swap(values[i - 1], values[random.below(i)]);
  }
  paint_list(canvas, values);
  return {};
}

void draw_sorted_offsets(const Canvas& canvas, double low, double high) {
  const auto count = static_cast<std::size_t>(canvas.spec.elements);
  const double last = std::isnan(high) ? low + static_cast<double>(count) - 1 : high;
  const auto choices = static_cast<std::uint64_t>(std::max(0.0, last - low)) + 1;
  std::vector<double> values(count, low);
  Random random(canvas.seed);
  for (std::size_t i = 1; i < count; ++i) {
    values[i] = i + 1 == count ? last : low + static_cast<double>(random.below(choices));
  }
  std::sort(values.begin(), values.end());
  paint_list(canvas, values);
}

void draw_log_uniform(const Canvas& canvas, double low, double high) {
  paint_drawn(canvas, [low, ratio = std::log(high / low)](Random& random, auto, auto) {
    return low * std::exp(ratio * random.uniform());
  });
}

/// The fill's expression for each element; BufferSpec::fill_sizes has the dims.
Status draw_computed(const Canvas& canvas) {
  const auto text = canvas.arg.fill.sizes.find("value");
  if (text == canvas.arg.fill.sizes.end()) {
    const double value = fill_param(canvas.arg, *find_fill(canvas.arg.fill.kind), "value");
    paint(canvas, [&](auto, auto) { return value; });
    return {};
  }
  WS_TRY(const Expr value, parse_expr(text->second));
  const std::int64_t most =
      std::min(kMostComputed, kMostComputedSteps / static_cast<std::int64_t>(value.steps().size()));
  if (canvas.spec.elements > most) {
    return fail(ErrorCode::kInvalidArgument,
                "argument \"" + canvas.arg.name + "\" has " + std::to_string(canvas.spec.elements) +
                    " elements, and the fill `computed` makes " + std::to_string(most) +
                    " at most by this expression",
                "take smaller dims, a shorter expression, or another fill");
  }
  Bindings names;
  for (const auto& [name, size] : canvas.spec.fill_sizes) {
    names[name] = static_cast<std::int64_t>(size);
  }
  std::vector<double> values(static_cast<std::size_t>(canvas.spec.elements));
  for (std::size_t i = 0; i < values.size(); ++i) {
    names["i"] = static_cast<std::int64_t>(i);
    const Result<std::int64_t> made = value.eval(names);
    if (!made) {
      return fail(ErrorCode::kInvalidArgument,
                  "argument \"" + canvas.arg.name + "\": element " + std::to_string(i) + ": " +
                      made.error().message,
                  made.error().hint);
    }
    values[i] = static_cast<double>(*made);
  }
  paint_list(canvas, values);
  return {};
}

}  // namespace

Status draw_declared(const Canvas& canvas) {
  const FillRow& row = *find_fill(canvas.arg.fill.kind);
  const DrawReader param{canvas.arg, row};
  switch (row.kind) {
    case FillKind::kNormal:
      paint_drawn(canvas,
                  [mean = param("mean"), deviation = param("std")](Random& random, auto, auto) {
                    return mean + deviation * random.normal();
                  });
      return {};
    case FillKind::kUniform:
      draw_uniform(canvas, param("low"), param("high"));
      return {};
    case FillKind::kOnes:
      paint(canvas, [](auto, auto) { return 1.0; });
      return {};
    case FillKind::kZeros:
      paint(canvas, [](auto, auto) { return 0.0; });
      return {};
    case FillKind::kIota:
      paint(canvas, [next = param("start"), step = param("step")](auto, auto) mutable {
        return std::exchange(next, next + step);
      });
      return {};
    case FillKind::kExactIntegers:
      paint_drawn(canvas, [limit = std::floor(param("limit"))](Random& random, auto, auto) {
        return static_cast<double>(random.below(static_cast<std::uint64_t>(2 * limit) + 1)) - limit;
      });
      return {};
    case FillKind::kLogUniform:
      draw_log_uniform(canvas, param("low"), param("high"));
      return {};
    case FillKind::kSparse:
      draw_sparse_normal(canvas, param);
      return {};
    case FillKind::kStructured:
      return draw_structured(canvas, param("pattern"));
    case FillKind::kPermutation:
      return draw_permutation(canvas, param("start"));
    case FillKind::kSortedOffsets:
      draw_sorted_offsets(canvas, param("low"), param("high"));
      return {};
    case FillKind::kSortedIndices:
      return draw_sorted_indices(canvas, param("low"), param("high"));
    case FillKind::kComputed:
      return draw_computed(canvas);
    case FillKind::kCsrOffsets:
      return draw_csr_offsets(canvas);
    case FillKind::kCsrColumns:
      return fail(ErrorCode::kInternal, "argument \"" + canvas.arg.name +
                                            "\": column indices are drawn with their offsets");
    case FillKind::kRange: {
      const double high = param("high");
      const auto count = static_cast<double>(canvas.spec.elements);
      const double low = param("low");
      draw_uniform(canvas, low, std::max(low, (std::isnan(high) ? count : high) - 1));
      return {};
    }
  }
  return {};
}

}  // namespace ws
