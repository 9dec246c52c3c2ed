#include "runtime/device/cpu/warp_clock.h"

#include <doctest/doctest.h>

namespace ws::cpu {
namespace {

ProfiledStretch stretch(std::uint32_t chain, std::uint32_t depth = 0, std::uint32_t waits = 0,
                        std::uint32_t rounds = 1) {
  ProfiledStretch made;
  made.chain = chain;
  made.depth = depth;
  made.waits = waits;
  made.rounds = rounds;
  return made;
}

}  // namespace

TEST_SUITE("cpu.warp_clock") {
  TEST_CASE("loads that nobody needs yet are on their way together") {
    WarpClock clock;
    clock.start();
    for (std::uint32_t i = 0; i < 8; ++i) {
      clock.pass(0, i + 1, stretch(1), 350, false);
    }
    CHECK(clock.slowest_cycles() == 8);
    clock.pass(0, 9, stretch(4, 0, 1), 0, false);
    CHECK(clock.slowest_cycles() == 8 + 350);
    clock.pass(0, 1, stretch(1), 350, false);  // The next round.
    CHECK(clock.slowest_cycles() == 8 + 350 + 1);
    clock.pass(0, 2, stretch(4, 0, 2), 0, false);  // It cannot do without.
    CHECK(clock.slowest_cycles() == 8 + 350 + 1 + 350 + 4);
  }

  TEST_CASE("loads whose addresses were loaded arrive one after another") {
    WarpClock clock;
    clock.start();
    clock.pass(0, 1, stretch(8, 3), 350, false);
    CHECK(clock.slowest_cycles() == 8 + 3 * 350);
  }

  TEST_CASE("a warp that sleeps takes longer, and so do those that wait for it") {
    WarpClock clock;
    clock.start();
    clock.sleep(1, 500);
    clock.pass(1, 1, stretch(8), 0, true);
    clock.pass(0, 1, stretch(8), 0, true);
    clock.pass(0, 2, stretch(3), 0, false);
    CHECK(clock.slowest_cycles() == 500 + 8 + 3);
  }

  TEST_CASE("rounds of a loop that run side by side share the wait") {
    WarpClock clock;
    clock.start();
    for (int i = 0; i < 16; ++i) {
      clock.pass(0, 1, stretch(8, 1, 0, 4), 40, false);
    }
    CHECK(clock.slowest_cycles() == 16 * 48 / 4);
  }

  TEST_CASE("at a barrier all warps wait for the last, whichever it is each time") {
    WarpClock clock;
    clock.start();
    for (std::size_t round = 0; round < 4; ++round) {
      for (std::size_t warp = 0; warp < 4; ++warp) {
        clock.pass(warp, 1, stretch(warp == round ? 1000 : 1), 0, true);
      }
    }
    clock.pass(0, 2, stretch(1), 0, false);
    CHECK(clock.slowest_cycles() >= 4000);
    clock.start();
    CHECK(clock.slowest_cycles() == 0);
  }
}

}  // namespace ws::cpu
