#include "runtime/device/cpu/first_cache.h"

#include <doctest/doctest.h>

namespace ws::cpu {

TEST_SUITE("cpu.first_cache") {
  TEST_CASE("a sector is there the second time") {
    FirstCache cache;
    for (std::uint64_t sector = 0; sector < 256; ++sector) {
      CHECK_FALSE(cache.has(sector));
    }
    for (std::uint64_t sector = 0; sector < 256; ++sector) {
      CHECK(cache.has(sector));
    }
    cache.drop(9);
    CHECK_FALSE(cache.has(9));
    cache.clear();
    CHECK_FALSE(cache.has(7));
  }

  TEST_CASE("what is read between pushes a sector out when it is more than the cache holds") {
    FirstCache cache;
    cache.has(0);
    for (std::uint64_t sector = 1; sector <= 20'000; ++sector) {
      cache.has(sector);
    }
    CHECK_FALSE(cache.has(0));
    cache.has(1);
    CHECK(cache.has(1));
  }
}

}  // namespace ws::cpu
