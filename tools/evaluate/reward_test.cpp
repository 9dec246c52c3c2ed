#include "tools/evaluate/reward.h"

#include <cmath>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("tools.reward") {
  TEST_CASE("the reward is the published one") {
    // sigmoid(x) = 1 / (1 + exp(-x)), computed elsewhere to ten digits.
    CHECK(std::fabs(reward(1, kRewardOffset) - 0.5498339973) < 1e-9);
    CHECK(std::fabs(reward(2, kRewardOffset) - 0.7685247835) < 1e-9);
    CHECK(std::fabs(reward(0, kRewardOffset) - 0.3100255189) < 1e-9);
    CHECK(std::fabs(reward(3, 4) - 0.5) < 1e-9);
  }

  TEST_CASE("it rises with the speed-up and stays inside 0 and 1") {
    CHECK(reward(-5, kRewardOffset) == reward(0, kRewardOffset));
    double last = 0;
    for (const double speedup : {0.0, 0.5, 1.0, 2.0, 10.0, 30.0}) {
      CHECK(reward(speedup, kRewardOffset) > last);
      last = reward(speedup, kRewardOffset);
    }
    CHECK(reward(1e9, kRewardOffset) == 1);
    CHECK(reward(0, 1e9) == 0);
  }

  TEST_CASE("the reward is for the interval's lower end, not for luck") {
    CHECK(paid_speedup(Verdict::kFaster, {1.4, 1.5}) == 1.4);
    CHECK(paid_speedup(Verdict::kSlower, {0.6, 0.7}) == 0.6);
    for (const Verdict verdict : {Verdict::kEquivalent, Verdict::kResolutionLimited}) {
      CHECK(paid_speedup(verdict, {0.7, 0.8}) == 1);
      CHECK(paid_speedup(verdict, {1.3, 1.4}) == 1);
    }
  }

  TEST_CASE("a noisy device pays nobody for what it measured to be slow") {
    CHECK(paid_speedup(Verdict::kInconclusive, {0.05, 0.1}) == 0.1);
    CHECK(paid_speedup(Verdict::kInconclusive, {0.8, 1.2}) == 1);
    CHECK(paid_speedup(Verdict::kInconclusive, {1.3, 1.6}) == 1);
  }

  TEST_CASE("emulated times and baselines of the agent's own earn no reward") {
    CHECK(reward_withheld({}) == "");
    CHECK(reward_withheld({.emulated = true, .device_named = true}) == "");
    CHECK(reward_withheld({.emulated = true}) ==
          "times on an emulated device say little about a GPU; name the device to get a reward for "
          "them");
    CHECK(
        reward_withheld({.device_named = true, .own_baseline = true}) ==
        "the baseline is a kernel of the archive, which the rewarded client may have chosen; give "
        "the problem a reference kernel to get a reward");
  }
}

}  // namespace ws
