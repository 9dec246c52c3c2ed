#include "runtime/evaluate/measure/digest_check.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <doctest/doctest.h>

namespace ws {
namespace {

/// Digests as a device makes them, with signs of the test's own.
OutputDigest digest_of(const std::vector<double>& values, std::uint64_t key) {
  OutputDigest digest;
  std::mt19937_64 signs(key);
  for (std::size_t part = 0; part < kDigestParts; ++part) {
    for (auto i = digest_part_begin(values.size(), part);
         i < digest_part_begin(values.size(), part + 1); ++i) {
      digest.parts.at(part).signed_sum += (signs() >> 63U) != 0 ? -values[i] : values[i];
      digest.parts.at(part).squares += values[i] * values[i];
    }
  }
  return digest;
}

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
};

constexpr Shape kShapes[] = {{1, 16}, {1, 5000}, {3, 1000}, {20, 100}, {500, 8}, {256, 256}};

BufferSpec spec_of(const Shape& shape) {
  return {.name = "y",
          .role = BufferRole::kOut,
          .shape = {shape.rows, shape.columns},
          .strides = {shape.columns, 1},
          .elements = shape.rows * shape.columns,
          .span = shape.rows * shape.columns};
}

/// Rows of very different scales.
std::vector<double> values_of(const Shape& shape, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> power(-4, 4);
  std::vector<double> values;
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const double scale = std::exp2(power(random));
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      values.push_back(scale * normal(random));
    }
  }
  return values;
}

/// Every element off by its whole bound: of `share` times |value| and of `share` times the scale.
std::vector<double> at_their_bounds(const Shape& shape, std::vector<double> values, double share) {
  const auto columns = static_cast<std::size_t>(shape.columns);
  const bool telling = shape.columns >= kTellingElements;
  const std::size_t length = telling ? columns : values.size();
  for (std::size_t first = 0; first < values.size(); first += length) {
    double squares = 0;
    for (std::size_t i = first; i < first + length; ++i) {
      squares += values[i] * values[i];
    }
    const double scale = std::sqrt(squares / static_cast<double>(length));
    for (std::size_t i = first; i < first + length; ++i) {
      values[i] += share * (std::abs(values[i]) + scale);
    }
  }
  return values;
}

constexpr double kShare = 0.02;  // As bf16's, twice.
constexpr ErrorBound kBound{.rtol = kShare, .atol = kShare};

}  // namespace

TEST_SUITE("measure.digest_check") {
  TEST_CASE("values within their bounds agree, whatever the signs of their errors") {
    std::mt19937_64 random(1);
    for (const Shape& shape : kShapes) {
      CAPTURE(shape.rows);
      CAPTURE(shape.columns);
      for (std::uint64_t key = 0; key < 50; ++key) {
        const std::vector<double> want = values_of(shape, random);
        CHECK(digests_agree(spec_of(shape), digest_of(at_their_bounds(shape, want, kShare), key),
                            digest_of(want, key), kBound));
      }
    }
  }

  TEST_CASE("a launch that did not do its work does not agree") {
    std::mt19937_64 random(2);
    const std::vector<std::pair<const char*, std::function<double(double)>>> idle = {
        {"zeros", [](double) { return 0.0; }},
        {"other values", [&random](double) { return std::normal_distribution<double>()(random); }},
        {"poison", [](double) { return std::numeric_limits<double>::quiet_NaN(); }},
        {"twice", [](double value) { return 2 * value; }},
    };
    for (const Shape& shape : {Shape{1, 5000}, Shape{500, 8}, Shape{256, 256}}) {
      for (const auto& [name, wrong] : idle) {
        CAPTURE(name);
        CAPTURE(shape.rows);
        for (std::uint64_t key = 0; key < 20; ++key) {
          const std::vector<double> want = values_of(shape, random);
          std::vector<double> got = want;
          for (std::size_t i = got.size() / 2; i < got.size(); ++i) {
            got[i] = wrong(got[i]);
          }
          CHECK_FALSE(
              digests_agree(spec_of(shape), digest_of(got, key), digest_of(want, key), kBound));
        }
      }
    }
  }

  TEST_CASE("where only equal values pass, one that differs does not") {
    const Shape shape{256, 256};
    std::mt19937_64 random(3);
    std::vector<double> want = values_of(shape, random);
    for (double& value : want) {
      value = std::round(value);
    }
    std::vector<double> got = want;
    const ErrorBound exact{.exact = true};
    CHECK(digests_agree(spec_of(shape), digest_of(got, 7), digest_of(want, 7), exact));
    got[1234] += 1;
    CHECK_FALSE(digests_agree(spec_of(shape), digest_of(got, 7), digest_of(want, 7), exact));
  }

  TEST_CASE("where the right values are not finite, the digest says nothing") {
    const Shape shape{1, 1600};
    std::mt19937_64 random(4);
    std::vector<double> want = values_of(shape, random);
    std::vector<double> got = want;
    want[50] = std::numeric_limits<double>::infinity();
    got[60] = 1e6;  // In the same part.
    CHECK(digests_agree(spec_of(shape), digest_of(got, 8), digest_of(want, 8), kBound));
    got[1000] = 1e6;
    CHECK_FALSE(digests_agree(spec_of(shape), digest_of(got, 8), digest_of(want, 8), kBound));
  }

  TEST_CASE("values of a row that is mostly zeros may be off by what its sums cost") {
    const Shape shape{16, 1024};
    std::vector<double> want(static_cast<std::size_t>(shape.rows * shape.columns));
    std::mt19937_64 random(5);
    for (std::size_t i = 0; i < want.size(); i += 64) {
      want[i] = 100;
    }
    std::vector<double> got = want;
    std::uniform_real_distribution<double> error(-1e-4, 1e-4);
    for (double& value : got) {
      value += error(random);
    }
    const ErrorBound strict{.rtol = 1e-7, .atol = 1e-7};
    ErrorBound sums = strict;
    sums.sum = 1e-6;
    CHECK_FALSE(digests_agree(spec_of(shape), digest_of(got, 9), digest_of(want, 9), strict));
    CHECK(digests_agree(spec_of(shape), digest_of(got, 9), digest_of(want, 9), sums));
  }
}

}  // namespace ws
