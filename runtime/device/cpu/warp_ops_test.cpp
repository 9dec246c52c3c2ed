#include "runtime/device/cpu/warp_ops.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ws::cpu {

TEST_SUITE("device.cpu.warp_ops") {
  using cpu_abi::WarpMode;

  constexpr std::uint32_t kFull = 0xffffffffU;

  /// A warp in which every lane waits in `mode`, with its lane number + 100 as the value.
  std::vector<Fiber> warp_in(WarpMode mode, std::uint32_t lane, std::uint32_t width = 32,
                             std::size_t count = 32) {
    std::vector<Fiber> lanes(count);
    for (std::size_t i = 0; i < count; ++i) {
      lanes[i].state = FiberState::kAtWarpOp;
      lanes[i].mode = mode;
      lanes[i].mask = kFull;
      lanes[i].lane = lane;
      lanes[i].width = width;
      lanes[i].value = 100 + i;
    }
    return lanes;
  }

  struct Shuffle {
    const char* name;
    WarpMode mode;
    std::uint32_t lane;
    std::uint32_t width;
    std::uint32_t at;    ///< The lane looked at ...
    std::uint32_t from;  ///< ... has the value of this one.
  };

  // CUDA C++ Programming Guide, "Warp Shuffle Functions".
  constexpr Shuffle kShuffles[] = {
      {"broadcast", WarpMode::kShfl, 5, 32, 20, 5},
      {"broadcast in halves", WarpMode::kShfl, 5, 16, 20, 21},
      {"lane beyond the width wraps", WarpMode::kShfl, 19, 16, 20, 19},
      {"up", WarpMode::kShflUp, 3, 32, 20, 17},
      {"up from below the segment keeps", WarpMode::kShflUp, 3, 8, 17, 17},
      {"down", WarpMode::kShflDown, 3, 32, 20, 23},
      {"down past the warp keeps", WarpMode::kShflDown, 3, 32, 30, 30},
      {"down past the segment keeps", WarpMode::kShflDown, 3, 8, 22, 22},
      {"xor", WarpMode::kShflXor, 7, 32, 20, 19},
      {"xor into a later segment keeps", WarpMode::kShflXor, 16, 8, 3, 3},
      {"xor into an earlier segment reads it", WarpMode::kShflXor, 8, 8, 11, 3},
      {"a huge distance keeps", WarpMode::kShflDown, 0xfffffff0U, 32, 4, 4},
  };

  TEST_CASE("shuffles follow the programming guide, lane by lane") {
    for (const Shuffle& c : kShuffles) {
      CAPTURE(std::string(c.name));
      const std::vector<Fiber> lanes = warp_in(c.mode, c.lane, c.width);
      const auto results = WarpView(lanes.data(), lanes.size()).results(kFull);
      CHECK(results.at(c.at) == 100 + c.from);
    }
  }

  struct Reduction {
    const char* name;
    WarpMode mode;
    std::uint64_t want;
  };

  // Lane values 0, -1, 2, -3 as 32-bit words.
  constexpr Reduction kReductions[] = {
      {"add", WarpMode::kAdd, 0xfffffffeU},
      {"min unsigned", WarpMode::kMinU, 0},
      {"max unsigned", WarpMode::kMaxU, 0xffffffffU},
      {"min signed", WarpMode::kMinS, 0xfffffffdU},
      {"max signed", WarpMode::kMaxS, 2},
      {"and", WarpMode::kAnd, 0},
      {"or", WarpMode::kOr, 0xffffffffU},
      {"xor", WarpMode::kXor, 0},
      {"ballot", WarpMode::kBallot, 0xe},
      {"any", WarpMode::kAny, 1},
      {"all", WarpMode::kAll, 0},
  };

  TEST_CASE("votes and reductions cover exactly the lanes of the group") {
    constexpr std::uint32_t kValues[] = {0, 0xffffffffU, 2, 0xfffffffdU};
    for (const Reduction& c : kReductions) {
      CAPTURE(std::string(c.name));
      std::vector<Fiber> lanes = warp_in(c.mode, 0, 32, 8);
      for (std::size_t i = 0; i < 4; ++i) {
        lanes[i].value = kValues[i];
      }
      const auto results = WarpView(lanes.data(), lanes.size()).results(0xf);
      std::uint64_t want = c.want;
      if (c.mode == WarpMode::kXor) {
        want = kValues[1] ^ kValues[2] ^ kValues[3];
      }
      CHECK(results[0] == want);
      CHECK(results[3] == want);
      CHECK(results[4] == 0);
    }
  }

  TEST_CASE("of a lane that is not of the group nonsense is read") {
    std::vector<Fiber> lanes = warp_in(WarpMode::kShflXor, 1, 32, 4);
    const auto whole = WarpView(lanes.data(), lanes.size()).results(0xf);
    CHECK(whole[2] == lanes[3].value);
    const auto some = WarpView(lanes.data(), lanes.size()).results(0x7);
    CHECK(some[0] == lanes[1].value);
    CHECK(some[2] != lanes[2].value);
    CHECK(some[2] != lanes[3].value);
    CHECK(some[2] != 0);
  }

  TEST_CASE("a group is complete when every lane of the mask is there or has left") {
    std::vector<Fiber> lanes = warp_in(WarpMode::kSync, 0, 32, 20);
    const WarpView view(lanes.data(), lanes.size());
    CHECK(view.complete_group(lanes[0]) == 0xfffffU);
    lanes[7].state = FiberState::kDone;
    CHECK(view.complete_group(lanes[0]) == 0xfff7fU);
    lanes[3].state = FiberState::kReady;
    CHECK(view.complete_group(lanes[0]) == 0);
    lanes[3].state = FiberState::kAtWarpOp;
    lanes[3].mask = 0xf;
    CHECK(view.complete_group(lanes[0]) == 0);
  }

  TEST_CASE("lanes at different operations are not one group") {
    std::vector<Fiber> lanes = warp_in(WarpMode::kAny, 0, 32, 4);
    const WarpView view(lanes.data(), lanes.size());
    CHECK(view.same_mode(0xf));
    lanes[2].mode = WarpMode::kAll;
    CHECK_FALSE(view.same_mode(0xf));
    CHECK(view.same_mode(0xb));
  }

  TEST_CASE("equal values find each other") {
    std::vector<Fiber> lanes = warp_in(WarpMode::kMatchAny, 0, 32, 4);
    lanes[3].value = lanes[1].value;
    const auto results = WarpView(lanes.data(), lanes.size()).results(0xf);
    CHECK(results[0] == 0x1);
    CHECK(results[1] == 0xa);
    CHECK(results[3] == 0xa);
  }
}

}  // namespace ws::cpu
