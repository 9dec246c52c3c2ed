#include "tools/tune/pace.h"

#include <thread>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("tune.pace") {
  TEST_CASE("what runs at once counts once by the clock, and as often as it runs added up") {
    constexpr std::chrono::milliseconds kStep{20};
    PaceClock clock;
    clock.begin(PaceClock::What::kBuild);
    std::this_thread::sleep_for(kStep);
    clock.begin(PaceClock::What::kBuild);
    clock.begin(PaceClock::What::kTrial);
    std::this_thread::sleep_for(kStep);
    clock.end(PaceClock::What::kTrial);
    clock.end(PaceClock::What::kBuild);
    clock.end(PaceClock::What::kBuild);
    clock.begin(PaceClock::What::kTrial);
    std::this_thread::sleep_for(kStep);
    const Pace pace = clock.so_far();
    CHECK(pace.builds == 2);
    CHECK(pace.trials == 1);  // The late one has not ended.
    CHECK(pace.building_s >= 0.04);
    CHECK(pace.builds_s >= pace.building_s + 0.02);
    CHECK(pace.measuring_s >= 0.04);
    CHECK(pace.both_s >= 0.02);
    CHECK(pace.both_s <= pace.building_s - 0.02);
    CHECK(pace.search_s == doctest::Approx(pace.building_s + pace.measuring_s - pace.both_s));
  }
}

}  // namespace ws
