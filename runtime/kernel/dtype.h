// Element types of arguments: one table for names, sizes and classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ws {

enum class DType : std::uint8_t {
  kF64,
  kF32,
  kTf32,
  kF16,
  kBf16,
  kF8e4m3,
  kF8e5m2,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool,
};

/// "f32" for kF32; the words of the wire contract.
std::string_view name_of(DType type);
std::optional<DType> parse_dtype(std::string_view name);

/// Bytes of one element (tf32 is stored as f32; bool as one byte).
std::size_t size_of(DType type);
bool is_float(DType type);

/// Unit roundoff of a float type: 2^-24 for f32, 2^-11 for f16 and tf32; 0 for integers.
double unit_roundoff(DType type);
/// Largest finite value (of integers too).
double max_finite(DType type);

/// Reads element `index` of a raw buffer as double (i64 and u64 beyond 2^53 lose bits: compare
/// those bit for bit instead).
double load_element(DType type, const void* data, std::size_t index);

/// Rounds `value` to the type (ties to even; f8e4m3 saturates, others overflow to infinity;
/// integers truncate and saturate) and stores it.
void store_element(DType type, void* data, std::size_t index, double value);

}  // namespace ws
