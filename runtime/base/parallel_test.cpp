#include "runtime/base/parallel.h"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

TEST_SUITE("base.parallel") {
  TEST_CASE("a wide hash sees each byte, the length and the seed") {
    std::vector<std::byte> bytes((std::size_t{3} << 20U) + 5);
    const std::uint64_t first = ws::wide_hash(bytes, 1);
    CHECK(ws::wide_hash(bytes, 1) == first);
    CHECK(ws::wide_hash(bytes, 2) != first);
    CHECK(ws::wide_hash(std::span(bytes).first(bytes.size() - 1), 1) != first);
    for (const std::size_t at : {std::size_t{0}, std::size_t{1} << 20U, bytes.size() - 1}) {
      bytes[at] ^= std::byte{1};
      CHECK(ws::wide_hash(bytes, 1) != first);
      bytes[at] ^= std::byte{1};
    }
    CHECK(ws::wide_hash({}, 1) != ws::wide_hash({}, 2));
  }

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
