#include "runtime/device/cuda/worker/poison_keys.h"

#include <bit>
#include <utility>

#include <doctest/doctest.h>

namespace ws::cuda {
namespace {

/// As our kernels on the device compute it.
std::pair<std::uint32_t, std::uint32_t> encrypt(const PoisonKeys& keys, std::uint32_t x,
                                                std::uint32_t y) {
  for (const std::uint32_t key : keys) {
    x = (std::rotr(x, 8) + y) ^ key;
    y = std::rotl(y, 3) ^ x;
  }
  return {x, y};
}

}  // namespace

TEST_SUITE("device.cuda.poison_keys") {
  TEST_CASE("the round keys are those of Speck64/128: the paper's test vector") {
    const PoisonKeys keys = speck_round_keys({0x03020100, 0x0b0a0908, 0x13121110, 0x1b1a1918});
    CHECK(encrypt(keys, 0x3b726574, 0x7475432d) == std::pair{0x8c6fa548U, 0x454e028bU});
  }

  TEST_CASE("shared and local memory, and each step of a plan, have keys of their own") {
    CHECK(poison_keys(1, "shared", 0) == poison_keys(1, "shared", 0));
    CHECK(poison_keys(1, "shared", 0) != poison_keys(2, "shared", 0));
    CHECK(poison_keys(1, "shared", 0) != poison_keys(1, "local", 0));
    CHECK(poison_keys(1, "shared", 0) != poison_keys(1, "shared", 1));
  }
}

}  // namespace ws::cuda
