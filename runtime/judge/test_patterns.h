// Mistakes planted in an output, for tests of patterns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/judge/layout.h"
#include "runtime/judge/mismatch_cells.h"
#include "runtime/judge/pattern.h"
#include "runtime/judge/random.h"
#include "runtime/judge/test_buffers.h"

namespace ws {

/// The value that a broken kernel leaves at (row, column); `want` reads the right values.
using Want = std::function<double(std::int64_t, std::int64_t)>;
using Broken = std::function<double(std::int64_t, std::int64_t, const Want&)>;
/// A right value; `drawn` is a normal number of its own, or one of 1 to 100 for integers.
using Right = std::function<double(std::int64_t row, std::int64_t column, double drawn)>;

inline constexpr double kUnwritten = -12345.5;  // Stands for "leave the poison".

struct Planted {
  MismatchPattern pattern;
  Comparison result;
  MismatchCells cells;
};

struct Scene {
  std::vector<std::int64_t> shape;
  Broken broken;
  DType type = DType::kF32;
  std::uint64_t seed = 1;
  Right right = [](std::int64_t, std::int64_t, double drawn) { return drawn; };
  ErrorBound bound = {.rtol = 1e-3, .atol = 1e-3};
  std::vector<std::string> names = {};
};

/// Compares what the broken kernel leaves with the right values.
inline Planted plant(const Scene& scene) {
  TestBuffer want(dense_spec(scene.type, scene.shape));
  Random random(scene.seed);
  const RowView view(want.spec);
  for (std::int64_t i = 0; i < want.spec.elements; ++i) {
    const double drawn =
        is_float(scene.type) ? random.normal() + 0.25 : static_cast<double>(random.below(100)) + 1;
    want.set(i, scene.right(i / view.columns(), i % view.columns(), drawn));
  }
  const Want read = [&](std::int64_t row, std::int64_t column) {
    return want.get(row * view.columns() + column);
  };
  TestBuffer got(want.spec);
  const Poison poison(scene.type, scene.seed);
  poison.fill(got.span());
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    for (std::int64_t column = 0; column < view.columns(); ++column) {
      if (const double value = scene.broken(row, column, read); value != kUnwritten) {
        got.set(row * view.columns() + column, value);
      }
    }
  }
  Comparison result = compare(want.spec, got.view(), want.view(), scene.bound, &poison);
  REQUIRE(result.mismatches > 0);
  MismatchPattern pattern =
      describe_mismatch(want.spec, got.view(), want.view(), result, scene.names);
  MismatchCells cells = mismatch_cells(want.spec, got.view(), want.view(), result);
  return {std::move(pattern), std::move(result), std::move(cells)};
}

}  // namespace ws
