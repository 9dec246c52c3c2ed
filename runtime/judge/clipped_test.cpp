// Outputs in which most of a row is clipped to zero: a relu after a product. What is left of the
// row is small, the sums that it comes from are not, and so neither is their honest rounding.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/judge/compare.h"
#include "runtime/judge/random.h"
#include "runtime/judge/test_buffers.h"

namespace ws {

TEST_SUITE("judge.clipped") {
  constexpr std::int64_t kRows = 64;
  constexpr std::int64_t kColumns = 64;
  constexpr std::int64_t kLength = 256;

  struct Outputs {
    TestBuffer got;
    TestBuffer want;
  };

  /// count values of mean `mean`, in rows of `row` values that have a scale of 2^-4 to 2^4 each.
  std::vector<float> drawn(std::int64_t count, std::int64_t row, double mean, Random& random) {
    std::vector<float> values;
    double scale = 1;
    for (std::int64_t i = 0; i < count; ++i) {
      scale = i % row == 0 ? std::exp2(-4 + 8 * random.uniform()) : scale;
      values.push_back(static_cast<float>(scale * (mean + random.normal())));
    }
    return values;
  }

  /// relu(A B) with sums in f32 and with sums in f64; sums are negative far more often than not.
  Outputs clipped_product(std::uint64_t seed) {
    Random random(seed);
    const std::vector<float> a = drawn(kRows * kLength, kLength, 0.4, random);
    const std::vector<float> b = drawn(kLength * kColumns, kColumns, -0.4, random);
    Outputs out{TestBuffer(dense_spec(DType::kF32, {kRows, kColumns})),
                TestBuffer(dense_spec(DType::kF32, {kRows, kColumns}))};
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
      float rounded = 0;
      double sum = 0;
      for (std::int64_t k = 0; k < kLength; ++k) {
        const float left = a[static_cast<std::size_t>(i / kColumns * kLength + k)];
        const float right = b[static_cast<std::size_t>(k * kColumns + i % kColumns)];
        rounded += left * right;
        sum += static_cast<double>(left) * right;
      }
      out.got.set(i, std::max(rounded, 0.0F));
      out.want.set(i, std::max(sum, 0.0));
    }
    return out;
  }

  ErrorBound bound_of_sums() {
    ArgSpec output;
    output.type = DType::kF32;
    output.role = Role::kOut;
    return error_bound(Problem{}, output, kLength);
  }

  TEST_CASE("the rounding of honest sums passes where a relu leaves little of a row") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      CAPTURE(seed);
      const Outputs out = clipped_product(seed);
      const Comparison result =
          compare(out.want.spec, out.got.view(), out.want.view(), bound_of_sums());
      CHECK(result.mismatches == 0);
      CHECK(result.max_excess == 0);
    }
  }

  TEST_CASE("zeros and small mistakes do not pass where a relu leaves little of a row") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      CAPTURE(seed);
      const Outputs out = clipped_product(seed);
      std::int64_t nonzero = 0;
      TestBuffer scaled = out.want;
      for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
        nonzero += out.want.get(i) != 0 ? 1 : 0;
        scaled.set(i, out.want.get(i) * 1.01);
      }
      REQUIRE(nonzero > 0);
      const TestBuffer zeros(out.want.spec);
      const auto wrong_in = [&](const TestBuffer& got) {
        return compare(out.want.spec, got.view(), out.want.view(), bound_of_sums()).mismatches;
      };
      CHECK(wrong_in(zeros) > 0.9 * static_cast<double>(nonzero));
      CHECK(wrong_in(scaled) > 0.5 * static_cast<double>(nonzero));
    }
  }

  TEST_CASE("a row that is not clipped is judged by its own size, whatever is beside it") {
    TestBuffer want(dense_spec(DType::kF32, {2, kColumns}));
    Random random(3);
    for (std::int64_t i = 0; i < kColumns; ++i) {
      want.set(i, i % 4 == 0 ? 0 : 1e-5 * (1 + random.uniform()));
      want.set(kColumns + i, random.normal());
    }
    TestBuffer got = want;
    got.set(1, got.get(1) * 1.001);
    CHECK(compare(want.spec, got.view(), want.view(), bound_of_sums()).mismatches == 1);
  }

  TEST_CASE("two results, each rounded, may be as far apart as both may be off") {
    const ErrorBound twice = scaled(bound_of_sums(), 2);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      CAPTURE(seed);
      const Outputs out = clipped_product(seed);
      TestBuffer other = out.want;  // As far off as `got`, to the other side.
      for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
        other.set(i, 2 * out.want.get(i) - out.got.get(i));
      }
      CHECK(compare(out.want.spec, out.got.view(), other.view(), twice).mismatches == 0);
    }
    CHECK(twice.sum == 2 * bound_of_sums().sum);
  }

  TEST_CASE("where nothing is summed, zeros lend a row nothing") {
    ArgSpec output;
    output.type = DType::kF32;
    output.role = Role::kOut;
    TestBuffer want(dense_spec(DType::kF32, {2, kColumns}));
    want.set(5, 1e-6);
    want.set(kColumns, 1);
    const TestBuffer zeros(want.spec);
    CHECK(compare(want.spec, zeros.view(), want.view(), error_bound(Problem{}, output, 1))
              .mismatches == 2);
  }
}

}  // namespace ws
