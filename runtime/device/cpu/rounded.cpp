// Arithmetic in the processor's other ways to round, for kernels (abi.h).
#include <cmath>
#include <cstdint>

#include <immintrin.h>

#include "runtime/device/cpu/abi.h"

namespace ws::cpu {
namespace {

/// The place of the mode in the control word of the processor.
constexpr unsigned kModeShift = 13;
constexpr unsigned kModes = _MM_ROUND_MASK;

/// Each number passes through a volatile, which the compiler does not move over a change of mode.
template <typename Number>
Number compute(cpu_abi::Rounded operation, Number first, Number second, Number third) {
  const volatile Number va = first;
  const volatile Number vb = second;
  const volatile Number vc = third;
  const Number a = va;
  const Number b = vb;
  const Number c = vc;
  switch (operation) {
    case cpu_abi::Rounded::kAdd:
      return a + b;
    case cpu_abi::Rounded::kSub:
      return a - b;
    case cpu_abi::Rounded::kMul:
      return a * b;
    case cpu_abi::Rounded::kFma:
      return std::fma(a, b, c);
    case cpu_abi::Rounded::kDiv:
      return a / b;
    case cpu_abi::Rounded::kSqrt:
      return std::sqrt(a);
  }
  return a;
}

template <typename Number>
Number rounded(std::uint32_t operation, std::uint32_t mode, Number a, Number b, Number c) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr((before & ~kModes) | (mode & 3U) << kModeShift);
  const volatile Number result = compute(static_cast<cpu_abi::Rounded>(operation), a, b, c);
  _mm_setcsr(before);
  return result;
}

}  // namespace
}  // namespace ws::cpu

// Called from compiled kernels, by the names in imports.def.
extern "C" {

float ws_rt_rounded_f32(std::uint32_t operation, std::uint32_t mode, float a, float b, float c) {
  return ws::cpu::rounded(operation, mode, a, b, c);
}

double ws_rt_rounded_f64(std::uint32_t operation, std::uint32_t mode, double a, double b,
                         double c) {
  return ws::cpu::rounded(operation, mode, a, b, c);
}

}  // extern "C"
