#include "runtime/device/cuda/measure/launch_schedule.h"

#include <set>

#include <doctest/doctest.h>

namespace ws::cuda {
namespace {

/// The seed of the inputs of the launch that is kept in the end.
std::uint64_t kept_inputs(const std::vector<ScheduledLaunch>& launches) {
  std::uint64_t inputs = 0;
  for (const ScheduledLaunch& launch : launches) {
    inputs = launch.kept ? launch.inputs : inputs;
  }
  return inputs;
}

}  // namespace

TEST_SUITE("device.cuda.launch_schedule") {
  TEST_CASE("without a secret every launch has the inputs of the arena, and the first is kept") {
    std::mt19937_64 draws(1);
    const auto launches = schedule_launches({.poison = 5, .launches = 20}, draws);
    REQUIRE(launches.size() == 20);
    CHECK(launches.front().kept);
    for (const ScheduledLaunch& launch : launches) {
      CHECK(launch.inputs == 0);
    }
  }

  TEST_CASE("no two launches of a timing have the same inputs") {
    std::mt19937_64 draws(2);
    std::set<std::uint64_t> seen;
    for (const auto& launch :
         schedule_launches({.poison = 5, .launches = 50, .inputs = 77, .shared = 20}, draws)) {
      CHECK(launch.inputs != 0);
      CHECK(seen.insert(launch.inputs).second);
    }
  }

  TEST_CASE("both sides keep a launch with the same inputs, however many launches each has") {
    std::mt19937_64 draws(3);
    std::set<std::uint64_t> kept;
    for (std::uint64_t inputs = 1; inputs <= 100; ++inputs) {
      const auto few =
          schedule_launches({.poison = 5, .launches = 7, .inputs = inputs, .shared = 7}, draws);
      const auto many =
          schedule_launches({.poison = 6, .launches = 50, .inputs = inputs, .shared = 7}, draws);
      CHECK(kept_inputs(few) != 0);
      CHECK(kept_inputs(few) == kept_inputs(many));
      kept.insert(kept_inputs(few));
    }
    CHECK(kept.size() == 100);
  }

  TEST_CASE("each shared launch is kept as often as another, at any place") {
    std::mt19937_64 draws(4);
    std::vector<int> places(8);
    for (std::uint64_t inputs = 1; inputs <= 4000; ++inputs) {
      const auto launches =
          schedule_launches({.poison = 5, .launches = 8, .inputs = inputs, .shared = 3}, draws);
      std::size_t last = 0;
      for (std::size_t i = 0; i < launches.size(); ++i) {
        last = launches[i].kept ? i : last;
      }
      ++places[last];
    }
    for (const int times : places) {
      CHECK(times > 400);
      CHECK(times < 600);
    }
  }
}

}  // namespace ws::cuda
