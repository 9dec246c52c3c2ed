#include "runtime/lift/write/tile_numbers.h"

#include <limits>

#include <doctest/doctest.h>

#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

/// A tile whose points are as many threads.
struct Numbers {
  Symbols symbols;
  ir::TreeBuilder tree;
  PolyTree polys{tree, symbols};
  TileNumbers numbers{tree, polys};
  Tile tile;

  Numbers(std::int64_t rows, std::int64_t cols)
      : tile{rows, cols, {}} {
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      tile.points.push_back({0, static_cast<std::int32_t>(i)});
    }
  }

  /// The tile of poly(row, column).
  template <typename F>
  std::string text(F poly, DType type = DType::kI32) {
    std::vector<Poly> all;
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      for (std::int64_t col = 0; col < tile.cols; ++col) {
        all.push_back(poly(row, col));
      }
    }
    std::vector<const Poly*> each;
    for (const Poly& one : all) {
      each.push_back(&one);
    }
    return shown(numbers.integer(tile, each, type));
  }

  [[nodiscard]] std::string shown(const Result<TileExpr>& made) const {
    if (!made) {
      return made.error().message;
    }
    const std::string size =
        made->number ? "number" : std::to_string(made->rows) + "x" + std::to_string(made->cols);
    return ir::print_expr(tree.program(), made->expr) + " | " + size + (made->zero ? " zero" : "");
  }
};

TEST_SUITE("lift.tile_numbers") {
  TEST_CASE("integers that follow row and column") {
    Numbers on(4, 8);
    const Poly n = Poly::of(on.symbols.intern("self.n"));
    const Poly b = Poly::of(on.symbols.intern("b"));
    CHECK(on.text([&](auto, auto) { return Poly(0); }) == "0 | number zero");
    CHECK(on.text([&](auto, auto) { return n.plus(Poly(-3)); }) == "self.n - 3 | number");
    CHECK(on.text([&](auto row, auto) { return Poly(row); }) == "arange(4)[:, None] | 4x1");
    CHECK(on.text([&](auto, auto col) { return Poly(col * -2 + 1); }) ==
          "arange(8)[None, :] * -2 + 1 | 1x8");
    CHECK(on.text([&](auto row, auto col) { return Poly(row * 8 + col / 2); }) ==
          "arange(4)[:, None] * 8 + arange(8)[None, :] // 2 | 4x8");
    CHECK(on.text([&](auto row, auto col) {
      return n.times(Poly(row + 5)).plus(b).plus(Poly(col));
    }) == "arange(8)[None, :] + arange(4)[:, None] * self.n + self.n * 5 + b | 4x8");
    CHECK(on.text([&](auto row, auto col) { return n.times(b).times(Poly(row + col)); }) ==
          "(arange(4)[:, None] + arange(8)[None, :]) * (self.n * b) | 4x8");
  }

  TEST_CASE("integers whose bits count apart") {
    Numbers on(4, 8);
    CHECK(on.text([&](auto row, auto col) { return Poly(row % 2 * 16 + row / 2 + col); }) ==
          "arange(4)[:, None] % 2 * 16 + arange(4)[:, None] // 2 + arange(8)[None, :] | 4x8");
    CHECK(on.text([&](auto row, auto col) { return Poly(row * col); }) ==
          "an index that follows neither row nor column");
  }

  TEST_CASE("large integers have their type") {
    Numbers on(4, 1);
    const std::int64_t large = std::int64_t{1} << 31U;
    const auto poly = [&](auto row, auto) { return Poly(row * large); };
    CHECK(on.text(poly, DType::kI64) == "to(arange(4)[:, None], \"i64\") * 2147483648 | 4x1");
    CHECK(on.text(poly, DType::kI32) == "arange(4)[:, None] * 2147483648 | 4x1");
  }

  TEST_CASE("numbers are written so that they are read as they were") {
    Numbers on(1, 1);
    const auto real = [&](double value, DType type) {
      return on.shown(on.numbers.real(value, type));
    };
    CHECK(real(0, DType::kF32) == "0.0 | number zero");
    CHECK(real(-0.0, DType::kF32) == "-0.0 | number");
    CHECK(real(static_cast<double>(0.1F), DType::kF32) == "0.1 | number");
    CHECK(real(0.1, DType::kF64) == "0.1 | number");
    CHECK(real(-1e-5, DType::kF64) == "-1e-05 | number");
    CHECK(real(3, DType::kF32) == "3.0 | number");
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    CHECK(real(kInfinity, DType::kF32) == "inf | number");
    CHECK(real(-kInfinity, DType::kF32) == "-inf | number");
    CHECK(real(std::numeric_limits<double>::quiet_NaN(), DType::kF32) ==
          "a constant that is not a number");
  }
}

}  // namespace
}  // namespace ws::lift
