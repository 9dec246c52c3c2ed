#include "runtime/profile/modelled_speedup.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

/// A launch whose time is that of its instructions: `us` microseconds and the launch.
ProfileInput busy(double us) {
  ProfileInput input;
  input.launches.push_back({});
  input.launches[0].blocks = 13'200;
  input.launches[0].threads = 1024;
  StepCounts step;
  step.blocks = 13'200;
  step.share = 1;
  input.counts.steps = {step};
  input.counts.entries.resize(1);
  input.counts.entries[0].warp_instructions = us * 1e3 * kHopper.ghz * kHopper.issue * kHopper.sms;
  return input;
}

}  // namespace

TEST_SUITE("profile.modelled_speedup") {
  TEST_CASE("the interval is as wide as the model may be off, either way") {
    const ModelledSpeedup speedup = modelled_speedup({{busy(97.5), busy(997.5)}});
    CHECK(speedup.unknown == "");
    CHECK(speedup.value == doctest::Approx(10));
    CHECK(speedup.low == doctest::Approx(10 / kModelError));
    CHECK(speedup.high == doctest::Approx(10 * kModelError));
  }

  TEST_CASE("several workloads count by their geometric mean") {
    const ModelledSpeedup speedup =
        modelled_speedup({{busy(97.5), busy(997.5)}, {busy(997.5), busy(97.5)}});
    CHECK(speedup.value == doctest::Approx(1));
  }

  TEST_CASE("data that does not fit L2 may come from memory as often as it is asked for") {
    ProfileInput kernel = busy(1);
    kernel.bytes = 200e6;
    kernel.counts.entries[0].l2_sectors = 4 * 200e6 / kSectorBytes;
    kernel.counts.total = kernel.counts.entries[0];
    const ModelledSpeedup speedup = modelled_speedup({{kernel, busy(1000)}});
    CHECK(speedup.low < 0.5 * speedup.value / kModelError);
  }

  TEST_CASE("where the model cannot say, it says why") {
    const struct {
      const char* unknown;
      void (*spoil)(ProfileInput&);
    } cases[] = {
        {"its blocks differ too much to count some for all",
         [](ProfileInput& input) { input.counts.steps[0].unevenness = 1.3; }},
        {"its blocks differ too much to count some for all",
         [](ProfileInput& input) { input.counts.steps[0].unevenness = 0.7; }},
        {"a thread keeps 300 values at a time, more than the registers of a GPU are sure to hold",
         [](ProfileInput& input) { input.launches[0].live_words = 300; }},
        {"it runs 20000 different instructions, more than the caches of a GPU are sure to hold",
         [](ProfileInput& input) { input.counts.static_instructions = 20'000; }},
    };

    for (const auto& c : cases) {
      ProfileInput spoilt = busy(100);
      c.spoil(spoilt);
      CHECK(modelled_speedup({{spoilt, busy(100)}}).unknown ==
            std::string("the kernel: ") + c.unknown);
      CHECK(modelled_speedup({{busy(100), spoilt}}).unknown ==
            std::string("the baseline: ") + c.unknown);
    }
    CHECK(
        modelled_speedup({{busy(1), busy(2)}}).unknown ==
        "the workloads are too small: on a GPU, launching takes longer than the work of the kernel "
        "and of the baseline");
    CHECK(modelled_speedup({{busy(1), busy(3)}}).unknown == "");
  }
}

}  // namespace ws
