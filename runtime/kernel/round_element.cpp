#include "runtime/kernel/round_element.h"

#include <array>
#include <cstddef>

namespace ws {

double round_element(DType type, double value) {
  alignas(double) std::array<std::byte, sizeof(double)> raw{};
  store_element(type, raw.data(), 0, value);
  return load_element(type, raw.data(), 0);
}

}  // namespace ws
