#include "runtime/kernel/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ws {
namespace {

enum class Family : std::uint8_t { kFloat, kSigned, kUnsigned, kBool };

struct DTypeRow {
  DType type;
  std::string_view name;
  std::size_t size;
  Family family;
  int precision;  // Significand bits with the hidden one; 0 for integers.
  double max;
};

// The only list of element types; rows stand in the order of the enumeration.
constexpr std::array<DTypeRow, 16> kRows = {{
    {DType::kF64, "f64", 8, Family::kFloat, 53, std::numeric_limits<double>::max()},
    {DType::kF32, "f32", 4, Family::kFloat, 24, 0x1.fffffep127},
    {DType::kTf32, "tf32", 4, Family::kFloat, 11, 0x1.ffcp127},
    {DType::kF16, "f16", 2, Family::kFloat, 11, 65504.0},
    {DType::kBf16, "bf16", 2, Family::kFloat, 8, 0x1.fep127},
    {DType::kF8e4m3, "f8e4m3", 1, Family::kFloat, 4, 448.0},
    {DType::kF8e5m2, "f8e5m2", 1, Family::kFloat, 3, 57344.0},
    {DType::kI64, "i64", 8, Family::kSigned, 0, 0x1p63},
    {DType::kI32, "i32", 4, Family::kSigned, 0, 2147483647.0},
    {DType::kI16, "i16", 2, Family::kSigned, 0, 32767.0},
    {DType::kI8, "i8", 1, Family::kSigned, 0, 127.0},
    {DType::kU64, "u64", 8, Family::kUnsigned, 0, 0x1p64},
    {DType::kU32, "u32", 4, Family::kUnsigned, 0, 4294967295.0},
    {DType::kU16, "u16", 2, Family::kUnsigned, 0, 65535.0},
    {DType::kU8, "u8", 1, Family::kUnsigned, 0, 255.0},
    {DType::kBool, "bool", 1, Family::kBool, 0, 1.0},
}};

const DTypeRow& row(DType type) {
  return kRows.at(static_cast<std::size_t>(type));
}

// The bits of a binary float narrower than f32: sign, exponent, mantissa.
struct NarrowFloat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  // f8e4m3 has none: its top exponent holds numbers, and one NaN.

  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }

  [[nodiscard]] std::uint32_t magnitude_mask() const {
    return (1U << static_cast<unsigned>(exponent_bits + mantissa_bits)) - 1U;
  }

  [[nodiscard]] std::uint32_t infinity() const {
    return magnitude_mask() & ~((1U << static_cast<unsigned>(mantissa_bits)) - 1U);
  }

  [[nodiscard]] std::uint32_t largest() const {
    return has_infinity ? infinity() - 1U : magnitude_mask() - 1U;
  }
};

constexpr NarrowFloat kTf32Bits = {8, 10, true};
constexpr NarrowFloat kF16Bits = {5, 10, true};
constexpr NarrowFloat kBf16Bits = {8, 7, true};
constexpr NarrowFloat kF8e4m3Bits = {4, 3, false};
constexpr NarrowFloat kF8e5m2Bits = {5, 2, true};
constexpr unsigned kTf32Shift = 13;  // A tf32 is the upper 19 bits of an f32.

// ldexp, ilogb and nearbyint for the small ranges needed here, without a library call: whole
// tensors go through these functions element by element.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

int exponent_of(double magnitude) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52U) - 1023;
}

double round_to_even(double magnitude) {
  return magnitude + 0x1p52 - 0x1p52;  // Beyond 2^52 a double has no fraction bits left.
}

double decode(const NarrowFloat& format, std::uint32_t bits) {
  const std::uint32_t magnitude = bits & format.magnitude_mask();
  const double sign = (bits & ~format.magnitude_mask()) != 0U ? -1.0 : 1.0;
  if (magnitude > format.largest()) {
    return format.has_infinity && magnitude == format.infinity()
               ? sign * std::numeric_limits<double>::infinity()
               : std::numeric_limits<double>::quiet_NaN();
  }
  const auto shift = static_cast<unsigned>(format.mantissa_bits);
  const std::uint32_t fraction = magnitude & ((1U << shift) - 1U);
  const auto exponent = static_cast<int>(magnitude >> shift);
  const std::uint32_t significand = exponent == 0 ? fraction : fraction | (1U << shift);
  const int power = (exponent == 0 ? 1 : exponent) - format.bias() - format.mantissa_bits;
  return sign * static_cast<double>(significand) * power_of_two(power);
}

std::uint32_t encode(const NarrowFloat& format, double value) {
  const std::uint32_t sign = std::signbit(value) ? format.magnitude_mask() + 1U : 0U;
  if (std::isnan(value)) {
    return sign | format.magnitude_mask();  // All ones is a quiet NaN in every one of them.
  }
  const std::uint32_t overflow = format.has_infinity ? format.infinity() : format.largest();
  const double magnitude = std::fabs(value);
  if (magnitude >= power_of_two(format.bias() + 2)) {  // Also infinity.
    return sign | overflow;
  }
  const int lowest = 1 - format.bias();
  const int exponent = std::max(exponent_of(magnitude), lowest);
  // Scaling by a power of two is exact here, so that there is one rounding only (ties to even).
  const double scaled = magnitude * power_of_two(format.mantissa_bits - exponent);
  const auto significand = static_cast<std::uint32_t>(round_to_even(scaled));
  // The hidden bit adds one to the exponent field, and a carry from rounding does the same.
  const std::uint32_t field = static_cast<std::uint32_t>(exponent - lowest)
                              << static_cast<unsigned>(format.mantissa_bits);
  const std::uint32_t bits = field + significand;
  return sign | (bits > format.largest() ? overflow : bits);
}

template <typename T>
T read_as(const void* data, std::size_t index) {
  T value{};
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void write_as(void* data, std::size_t index, T value) {
  std::memcpy(static_cast<std::byte*>(data) + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
void write_integer(void* data, std::size_t index, double value) {
  // 2^63 and 2^64 are the doubles just beyond the 64-bit types: `>=` keeps the cast defined.
  constexpr auto kHighest = static_cast<double>(std::numeric_limits<T>::max());
  constexpr auto kLowest = static_cast<double>(std::numeric_limits<T>::min());
  T result = 0;
  if (value >= kHighest) {
    result = std::numeric_limits<T>::max();
  } else if (value <= kLowest) {
    result = std::numeric_limits<T>::min();
  } else if (!std::isnan(value)) {
    result = static_cast<T>(value);
  }
  write_as<T>(data, index, result);
}

}  // namespace

std::string_view name_of(DType type) {
  return row(type).name;
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeRow& entry : kRows) {
    if (entry.name == name) {
      return entry.type;
    }
  }
  return std::nullopt;
}

std::size_t size_of(DType type) {
  return row(type).size;
}

bool is_float(DType type) {
  return row(type).family == Family::kFloat;
}

double unit_roundoff(DType type) {
  return is_float(type) ? std::ldexp(1.0, -row(type).precision) : 0.0;
}

double max_finite(DType type) {
  return row(type).max;
}

double load_element(DType type, const void* data, std::size_t index) {
  switch (type) {
    case DType::kF64:
      return read_as<double>(data, index);
    case DType::kF32:
    case DType::kTf32:
      return static_cast<double>(read_as<float>(data, index));
    case DType::kF16:
      return decode(kF16Bits, read_as<std::uint16_t>(data, index));
    case DType::kBf16:
      return decode(kBf16Bits, read_as<std::uint16_t>(data, index));
    case DType::kF8e4m3:
      return decode(kF8e4m3Bits, read_as<std::uint8_t>(data, index));
    case DType::kF8e5m2:
      return decode(kF8e5m2Bits, read_as<std::uint8_t>(data, index));
    case DType::kI64:
      return static_cast<double>(read_as<std::int64_t>(data, index));
    case DType::kI32:
      return read_as<std::int32_t>(data, index);
    case DType::kI16:
      return read_as<std::int16_t>(data, index);
    case DType::kI8:
      return read_as<std::int8_t>(data, index);
    case DType::kU64:
      return static_cast<double>(read_as<std::uint64_t>(data, index));
    case DType::kU32:
      return read_as<std::uint32_t>(data, index);
    case DType::kU16:
      return read_as<std::uint16_t>(data, index);
    case DType::kU8:
    case DType::kBool:
      return read_as<std::uint8_t>(data, index);
  }
  return 0.0;
}

void store_element(DType type, void* data, std::size_t index, double value) {
  switch (type) {
    case DType::kF64:
      return write_as(data, index, value);
    case DType::kF32:
      return write_as(data, index, static_cast<float>(value));
    case DType::kTf32:
      return write_as(data, index, encode(kTf32Bits, value) << kTf32Shift);
    case DType::kF16:
      return write_as(data, index, static_cast<std::uint16_t>(encode(kF16Bits, value)));
    case DType::kBf16:
      return write_as(data, index, static_cast<std::uint16_t>(encode(kBf16Bits, value)));
    case DType::kF8e4m3:
      return write_as(data, index, static_cast<std::uint8_t>(encode(kF8e4m3Bits, value)));
    case DType::kF8e5m2:
      return write_as(data, index, static_cast<std::uint8_t>(encode(kF8e5m2Bits, value)));
    case DType::kI64:
      return write_integer<std::int64_t>(data, index, value);
    case DType::kI32:
      return write_integer<std::int32_t>(data, index, value);
    case DType::kI16:
      return write_integer<std::int16_t>(data, index, value);
    case DType::kI8:
      return write_integer<std::int8_t>(data, index, value);
    case DType::kU64:
      return write_integer<std::uint64_t>(data, index, value);
    case DType::kU32:
      return write_integer<std::uint32_t>(data, index, value);
    case DType::kU16:
      return write_integer<std::uint16_t>(data, index, value);
    case DType::kU8:
      return write_integer<std::uint8_t>(data, index, value);
    case DType::kBool:
      return write_as<std::uint8_t>(data, index, value != 0.0 ? 1 : 0);
  }
}

}  // namespace ws
