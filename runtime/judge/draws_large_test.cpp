#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "runtime/judge/inputs.h"
#include "runtime/judge/layout.h"
#include "runtime/judge/test_buffers.h"

namespace ws {

TEST_SUITE("judge.inputs") {
  ArgSpec large_argument(DType type, Fill fill,
                         std::optional<std::pair<double, double>> domain = std::nullopt) {
    ArgSpec arg;
    arg.name = "A";
    arg.type = type;
    arg.fill = std::move(fill);
    arg.domain = domain;
    return arg;
  }

  /// The rows' largest values, and how many of all are as large.
  struct Large {
    double least_of_rows = 0;
    double most = 0;
    double share = 0;
  };

  Large large_of(const ArgSpec& arg, double from) {
    TestBuffer buffer(dense_spec(arg.type, {40, 100}));
    REQUIRE(fill_input(arg, buffer.spec, Distribution::kLarge, 7, buffer.span()).has_value());
    Large found{.least_of_rows = 1e300};
    for (std::int64_t row = 0; row < 40; ++row) {
      double most = -1e300;
      for (std::int64_t column = 0; column < 100; ++column) {
        const double value = buffer.get(row * 100 + column);
        most = std::max(most, value);
        found.share += std::abs(value) >= from ? 1.0 / 4000 : 0;
      }
      found.least_of_rows = std::min(found.least_of_rows, most);
      found.most = std::max(found.most, most);
    }
    return found;
  }

  TEST_CASE("a row of large values overflows exp in f32, and most values are as usual") {
    for (const DType type : {DType::kF32, DType::kF16, DType::kBf16}) {
      const Large found = large_of(large_argument(type, {"normal", {}}), 90);
      CHECK(found.least_of_rows > 89);
      CHECK(found.most <= 128);
      CHECK(found.share > 0.01);
      CHECK(found.share < 0.06);
    }
  }

  TEST_CASE("large values follow the fill's spread, and end with the domain") {
    const Large small = large_of(large_argument(DType::kF32, {"normal", {{"std", 0.02}}}), 1.9);
    CHECK(small.least_of_rows > 1.9);
    CHECK(small.most < 2.6);
    const Large within = large_of(large_argument(DType::kF32, {"normal", {}}, {{-20, 20}}), 14);
    CHECK(within.least_of_rows > 14);
    CHECK(within.most <= 20);
  }

  TEST_CASE("arguments without room for them keep their fill") {
    CHECK(takes_large(large_argument(DType::kF32, {"normal", {}})));
    CHECK(takes_large(large_argument(DType::kF32, {"normal", {}}, {{-100, 8}})));
    CHECK_FALSE(takes_large(large_argument(DType::kF32, {"normal", {}}, {{-6, 6}})));
    CHECK_FALSE(takes_large(large_argument(DType::kF32, {"normal", {}}, {{0, 1e6}})));
    CHECK_FALSE(takes_large(large_argument(DType::kF32, {"normal", {{"std", 0}}})));
    CHECK_FALSE(takes_large(large_argument(DType::kF32, {"uniform", {}})));
    CHECK_FALSE(takes_large(large_argument(DType::kI32, {"normal", {}})));
    CHECK(large_of(large_argument(DType::kF32, {"uniform", {}}), 2).share == 0);
    CHECK(name_of(Distribution::kLarge) == "large");
  }
}

}  // namespace ws
