#include "runtime/kernel/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

namespace ws {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double through(DType type, double value) {
  std::array<std::byte, 8> cell{};
  store_element(type, cell.data(), 0, value);
  return load_element(type, cell.data(), 0);
}

std::uint32_t bits_of(DType type, double value) {
  std::uint32_t bits = 0;
  store_element(type, &bits, 0, value);
  return bits;
}

double from_bits(DType type, std::uint32_t bits) {
  return load_element(type, &bits, 0);
}

struct Narrow {
  DType type;
  std::uint32_t count;    // Bit patterns.
  std::uint32_t largest;  // Bits of the largest finite value.
};

constexpr Narrow kNarrow[] = {
    {DType::kF16, 0x10000, 0x7bff},
    {DType::kBf16, 0x10000, 0x7f7f},
    {DType::kF8e4m3, 0x100, 0x7e},
    {DType::kF8e5m2, 0x100, 0x7b},
};

struct Vector {
  DType type;
  double value;
  double want;
};

constexpr Vector kVectors[] = {
    {DType::kF16, 1.0 + 0x1p-11, 1.0},           // A tie goes to the even neighbour below,
    {DType::kF16, 1.0 + 0x3p-11, 1.0 + 0x1p-9},  // and above.
    {DType::kF16, 1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-10},  // Rounded once, not through f32.
    {DType::kF16, 65519.0, 65504.0},
    {DType::kF16, 65520.0, kInf},
    {DType::kF16, 0x1p-25, 0.0},
    {DType::kF16, 0x1.8p-25, 0x1p-24},
    {DType::kBf16, 3.4e38, kInf},
    {DType::kF8e4m3, 1e9, 448.0},
    {DType::kF8e4m3, -kInf, -448.0},
    {DType::kF8e4m3, 464.0, 448.0},
    {DType::kF8e5m2, 1e9, kInf},
    {DType::kTf32, 1.0 + 0x1p-11, 1.0},
    {DType::kTf32, 1.0 + 0x1p-11 + 0x1p-23, 1.0 + 0x1p-10},
    {DType::kTf32, 0x1p-149, 0.0},
    {DType::kF32, 1.0 + 0x1p-24, 1.0},
    {DType::kI32, 2.9, 2.0},
    {DType::kI32, -2.9, -2.0},
    {DType::kI32, 1e30, 2147483647.0},
    {DType::kI8, -1000.0, -128.0},
    {DType::kU8, -1.0, 0.0},
    {DType::kU64, 1e30, 0x1p64},
    {DType::kI64, -1e30, -0x1p63},
    {DType::kI16, std::numeric_limits<double>::quiet_NaN(), 0.0},
    {DType::kBool, 0.25, 1.0},
};

}  // namespace

TEST_SUITE("kernel.dtype") {
  TEST_CASE("every bit pattern of a narrow float survives load and store") {
    for (const Narrow& format : kNarrow) {
      CAPTURE(name_of(format.type));
      std::uint32_t wrong = 0;
      for (std::uint32_t bits = 0; bits < format.count; ++bits) {
        const double value = from_bits(format.type, bits);
        const std::uint32_t back = bits_of(format.type, value);
        wrong += std::isnan(value) ? !std::isnan(from_bits(format.type, back)) : back != bits;
      }
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("between any two neighbours the nearer one is taken and a tie goes to the even one") {
    for (const Narrow& format : kNarrow) {
      CAPTURE(name_of(format.type));
      std::uint32_t wrong = 0;
      for (std::uint32_t low = 0; low < format.largest; ++low) {
        const double a = from_bits(format.type, low);
        const double b = from_bits(format.type, low + 1);
        const double middle = (a + b) / 2;
        const double even = (low & 1U) == 0 ? a : b;
        wrong += through(format.type, middle) != even;
        wrong += through(format.type, std::nextafter(middle, 0.0)) != a;
        wrong += through(format.type, std::nextafter(middle, kInf)) != b;
        wrong += through(format.type, -middle) != -even;
      }
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("a value is rounded to this neighbour") {
    for (const Vector& c : kVectors) {
      CAPTURE(name_of(c.type));
      CAPTURE(c.value);
      CHECK(through(c.type, c.value) == c.want);
    }
  }

  TEST_CASE("NaN stays NaN in every float type") {
    for (int i = 0; i <= static_cast<int>(DType::kF8e5m2); ++i) {
      CAPTURE(i);
      CHECK(std::isnan(through(static_cast<DType>(i), std::nan(""))));
    }
  }

  TEST_CASE("the table agrees with the conversions") {
    for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
      const auto type = static_cast<DType>(i);
      CAPTURE(name_of(type));
      CHECK(parse_dtype(name_of(type)) == type);
      CHECK(through(type, max_finite(type)) == max_finite(type));
      CHECK(is_float(type) == (through(type, 0.5) == 0.5));
      if (is_float(type)) {
        CHECK(through(type, 1.0 + unit_roundoff(type)) == 1.0);
        CHECK(through(type, 1.0 + 2 * unit_roundoff(type)) == 1.0 + 2 * unit_roundoff(type));
      }
    }
    CHECK_FALSE(parse_dtype("f12").has_value());
  }

  TEST_CASE("an element is read at its index") {
    const std::array<std::int16_t, 3> data = {1, -2, 3};
    CHECK(load_element(DType::kI16, data.data(), 1) == -2.0);
    CHECK(size_of(DType::kTf32) == 4);
  }
}

}  // namespace ws
