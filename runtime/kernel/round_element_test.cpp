#include "runtime/kernel/round_element.h"

#include <doctest/doctest.h>

namespace ws {
TEST_SUITE("kernel.round_element") {
  TEST_CASE("integers keep their low bits") {
    CHECK(low_bits(DType::kI8, 200) == -56);
    CHECK(low_bits(DType::kU8, -1) == 255);
    CHECK(low_bits(DType::kI16, 40000) == -25536);
    CHECK(low_bits(DType::kU16, -1) == 65535);
    CHECK(low_bits(DType::kI32, std::int64_t{1} << 31U) == -2147483648);
    CHECK(low_bits(DType::kU32, -1) == 4294967295);
    CHECK(low_bits(DType::kI64, -1) == -1);
    CHECK(low_bits(DType::kF32, 1000) == 1000);
  }
}

}  // namespace ws
