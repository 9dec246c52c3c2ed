#include "runtime/base/parallel.h"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

TEST_SUITE("base.parallel") {
  TEST_CASE("each part is done once, and all of them before it returns") {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
      std::vector<std::atomic<int>> done(count);
      ws::parallel_for(count, [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) {
        REQUIRE(times == 1);
      }
    }
  }
}
