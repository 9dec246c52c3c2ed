#include "runtime/device/live_blocks.h"

#include <string>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("device.live_blocks") {
  TEST_CASE("OS threads together keep all blocks of a cooperative launch alive") {
    for (std::uint64_t threads = 1; threads <= 64; ++threads) {
      for (const std::uint64_t blocks : {1, 2, 7, 64, 1000}) {
        CAPTURE(threads);
        CAPTURE(blocks);
        CHECK(threads * live_blocks_of_thread(true, blocks, blocks, threads) >= blocks);
        CHECK(threads * live_blocks_of_thread(true, blocks, blocks, threads) < blocks + threads);
      }
    }
  }

  TEST_CASE("other launches have as many live blocks as there is room for") {
    struct Case {
      std::uint64_t blocks;
      std::uint64_t room;
      std::uint64_t threads;
      std::uint64_t live;
    };

    constexpr Case kCases[] = {{10, 10, 4, 3}, {10, 7, 2, 4}, {3, 100, 2, 2},   {100, 3, 8, 1},
                               {100, 0, 2, 1}, {1, 1, 1, 1},  {100, 50, 1, 50}, {100, 51, 50, 2}};
    for (const Case& c : kCases) {
      CAPTURE(c.blocks);
      CAPTURE(c.room);
      CHECK(live_blocks_of_thread(false, c.blocks, c.room, c.threads) == c.live);
    }
  }
}

}  // namespace ws
