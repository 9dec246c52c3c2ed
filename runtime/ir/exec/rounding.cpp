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
  if (dtype == DType::kBool) {
    return round_element(dtype, value);
  }
  const auto whole = static_cast<std::int64_t>(value);
  return dtype == DType::kU64 && whole < 0 ? too_large()
                                           : static_cast<double>(low_bits(dtype, whole));
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
