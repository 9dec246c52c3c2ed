#include "runtime/ir/exec/rounding.h"

#include <cmath>
#include <cstddef>

namespace ws::ir {
namespace {

double through(DType dtype, double value) {
  alignas(double) std::byte raw[sizeof(double)];
  store_element(dtype, raw, 0, value);
  return load_element(dtype, raw, 0);
}

}  // namespace

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
      value = through(dtype, value);
    }
  }
}

}  // namespace ws::ir
