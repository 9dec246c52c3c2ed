// The forest: what it predicts where it has seen rows, and how sure it is where it has not.
#include "runtime/tune/forest.h"

#include <cmath>

#include <doctest/doctest.h>

namespace ws::tune {
namespace {

using Rows = std::vector<std::vector<double>>;

/// A 16 x 16 grid with a valley at x = 4, and a third column that means nothing.
double valley(double x, double y) {
  return std::fabs(x - 4) + 0.1 * y;
}

Forest grown_on_valley(std::size_t step, Rows& rows, std::vector<double>& values) {
  Random random(1);
  for (std::size_t i = 0; i < 256; i += step) {
    const auto x = static_cast<double>(i % 16);
    const auto y = static_cast<double>(i / 16);
    rows.push_back({x, y, static_cast<double>(pick(random, 10))});
    values.push_back(valley(x, y));
  }
  Forest forest;
  forest.grow(rows, values, 3);
  return forest;
}

}  // namespace

TEST_SUITE("tune.forest") {
  TEST_CASE("rows that were not seen are guessed from those around them") {
    Rows rows;
    std::vector<double> values;
    const Forest forest = grown_on_valley(3, rows, values);
    double error = 0;
    int count = 0;
    for (double x = 0; x < 16; ++x) {
      for (double y = 0; y < 16; ++y) {
        error += std::fabs(forest.guess({x, y, 5}).mean - valley(x, y));
        ++count;
      }
    }
    CHECK(error / count < 0.5);  // The values go from 0 to 12.5.
  }

  TEST_CASE("the trees agree where there are rows, and differ where there are none") {
    Rows rows;
    std::vector<double> values;
    const Forest forest = grown_on_valley(1, rows, values);
    Rows few = {{0, 0, 0}, {15, 15, 0}, {0, 15, 0}, {15, 0, 0}};
    Forest sparse;
    sparse.grow(few, {0, 10, 5, 20}, 3);
    CHECK(sparse.guess({7, 7, 0}).spread > 5 * forest.guess({7, 7, 5}).spread);
  }

  TEST_CASE("equal rows, equal values and a single row are leaves, not errors") {
    Forest forest;
    CHECK_FALSE(forest.grown());
    forest.grow({{1, 2}}, {7}, 1);
    CHECK(forest.grown());
    CHECK(forest.guess({9, 9}).mean == 7);
    CHECK(forest.guess({9, 9}).spread == 0);
    forest.grow({{1, 2}, {1, 2}, {1, 2}, {1, 2}}, {1, 3, 1, 3}, 1);
    CHECK(forest.guess({1, 2}).mean == 2);
    forest.grow({{1, 2}, {3, 4}, {5, 6}, {7, 8}}, {4, 4, 4, 4}, 1);
    CHECK(forest.guess({1, 2}).mean == 4);
  }

  TEST_CASE("the same seed grows the same forest") {
    Rows rows;
    std::vector<double> values;
    const Forest one = grown_on_valley(5, rows, values);
    Forest other;
    other.grow(rows, values, 3);
    CHECK(one.guess({3.5, 7, 1}).mean == other.guess({3.5, 7, 1}).mean);
  }
}

}  // namespace ws::tune
