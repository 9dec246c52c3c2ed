#include "runtime/base/parallel.h"

#include <atomic>
#include <cstdint>
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

  TEST_CASE("a wide copy is the whole of it") {
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}, (std::size_t{2} << 20U) + 3}) {
      std::vector<std::byte> from(size);
      std::uint32_t next = 1;
      for (std::byte& byte : from) {
        next = next * 1664525U + 1013904223U;
        byte = static_cast<std::byte>(next >> 24U);
      }
      std::vector<std::byte> to(size);
      ws::wide_copy(from, to);
      CHECK(to == from);
    }
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
