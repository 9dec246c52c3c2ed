#include "runtime/ir/exec/rounding.h"

#include <cmath>
#include <cstdint>

#include "runtime/kernel/round_element.h"

namespace ws::ir {
namespace {

/// Two's complement, as the machine has it. Beyond 2^53 a double does not know the last digits.
double wrapped(DType dtype, double value) {
  constexpr double kExact = 9007199254740992.0;
  if (!(std::fabs(value) < kExact)) {
    return too_large();
  }
  const auto whole = static_cast<std::int64_t>(value);
  switch (dtype) {
    case DType::kI32:
      return static_cast<std::int32_t>(whole);
    case DType::kI16:
      return static_cast<std::int16_t>(whole);
    case DType::kI8:
      return static_cast<std::int8_t>(whole);
    case DType::kU32:
      return static_cast<std::uint32_t>(whole);
    case DType::kU16:
      return static_cast<std::uint16_t>(whole);
    case DType::kU8:
      return static_cast<std::uint8_t>(whole);
    case DType::kU64:
      return whole < 0 ? too_large() : static_cast<double>(whole);
    case DType::kI64:
      return static_cast<double>(whole);
    default:
      return round_element(dtype, value);
  }
}

}  // namespace

void saturate(DType dtype, std::span<double> data) {
  for (double& value : data) {
    value = std::isnan(value) ? value : round_element(dtype, value);
  }
}

void round_to(ValueMode mode, DType dtype, std::span<double> data) {
  const bool exact = is_float(dtype) && (mode == ValueMode::kF64 || dtype == DType::kF64);
  if (exact || mode == ValueMode::kNone) {
    return;
  }
  const bool single = is_float(dtype) && (mode == ValueMode::kF32 || dtype == DType::kF32);
  for (double& value : data) {
    if (single) {
      value = static_cast<double>(static_cast<float>(value));
    } else if (!std::isnan(value)) {
      value = is_float(dtype) ? round_element(dtype, value) : wrapped(dtype, value);
    }
  }
}

}  // namespace ws::ir
