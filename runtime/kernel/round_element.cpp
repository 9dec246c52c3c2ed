#include "runtime/kernel/round_element.h"

#include <array>
#include <cstddef>

namespace ws {

double round_element(DType type, double value) {
  alignas(double) std::array<std::byte, sizeof(double)> raw{};
  store_element(type, raw.data(), 0, value);
  return load_element(type, raw.data(), 0);
}

std::int64_t low_bits(DType type, std::int64_t value) {
  switch (type) {
    case DType::kI32:
      return static_cast<std::int32_t>(value);
    case DType::kI16:
      return static_cast<std::int16_t>(value);
    case DType::kI8:
      return static_cast<std::int8_t>(value);
    case DType::kU32:
      return static_cast<std::uint32_t>(value);
    case DType::kU16:
      return static_cast<std::uint16_t>(value);
    case DType::kU8:
      return static_cast<std::uint8_t>(value);
    default:
      return value;
  }
}

}  // namespace ws
