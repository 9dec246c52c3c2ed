#include "runtime/bench/paired.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("bench.paired") {
  /// A device that only exists as numbers: each run takes its time on a clock of its own.
  class SimulatedDevice {
   public:
    double kernel_us = 1000;
    double baseline_us = 1000;
    double noise = 0.03;     ///< Standard deviation of the log of a time.
    double drift_per_s = 0;  ///< Both sides slow down by this part each second.
    double second_run = 1;   ///< Factor on whichever side runs second in a block.

    explicit SimulatedDevice(std::uint64_t seed)
        : random_(seed) {}

    Result<double> measure(Side side) {
      const double base = side == Side::kKernel ? kernel_us : baseline_us;
      double us = base * std::exp(noise * normal_(random_)) * (1 + drift_per_s * now_ms_ / 1000);
      us *= runs_++ % 2 == 1 ? second_run : 1;
      if (spikes_(random_) == 0) {
        us *= 5;  // Something else had the machine.
      }
      now_ms_ += us / 1000;
      return us;
    }

    PairedResult run(PairedOptions options = {}) {
      options.now_ms = [this] { return now_ms_; };
      const auto result = measure_paired([this](Side side) { return measure(side); }, options);
      REQUIRE(result.has_value());
      return *result;
    }

   private:
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_;
    std::uniform_int_distribution<int> spikes_{0, 19};
    double now_ms_ = 0;
    int runs_ = 0;
  };

  PairedOptions short_budget() {
    PairedOptions options;
    options.time_budget_ms = 500;
    return options;
  }

  TEST_CASE("the budget is without what was waited for others") {
    for (const bool told : {false, true}) {
      CAPTURE(told);
      double now_ms = 0;
      double waited_ms = 5000;  // Before it began.
      PairedOptions options;
      options.time_budget_ms = 500;
      options.min_time_ms = 1e9;  // It ends for no other reason.
      options.now_ms = [&] { return now_ms; };
      if (told) {
        options.waited_ms = [&] { return waited_ms; };
      }
      const auto result = measure_paired(
          [&](Side) -> Result<double> {
            now_ms += 10;
            waited_ms += 9;
            return 1000.0;
          },
          options);
      REQUIRE(result.has_value());
      CHECK(result->stop == StopReason::kTimeBudget);
      CHECK(result->kernel_us.size() == (told ? 250 : 25));
    }
  }

  double floor_of(double noise) {
    std::vector<double> ratios;
    for (std::uint64_t trial = 0; trial < 20; ++trial) {
      SimulatedDevice device(1000 + trial);
      device.noise = noise;
      ratios.push_back(device.run(short_budget()).ratio);
    }
    return noise_floor(ratios);
  }

  TEST_CASE("equals are called faster in at most one of a hundred measurements") {
    for (const double noise : {0.005, 0.03, 0.1}) {
      CAPTURE(noise);
      const double floor = floor_of(noise);
      int faster = 0;
      constexpr int kTrials = 300;
      for (int trial = 0; trial < kTrials; ++trial) {
        SimulatedDevice device(static_cast<std::uint64_t>(trial));
        device.noise = noise;
        PairedOptions options = short_budget();
        options.noise_floor = trial % 2 == 0 ? std::optional(NoiseFloor{floor, 0}) : std::nullopt;
        const PairedResult result = device.run(options);
        faster += judge_speed(result.ratio_ci, floor) == SpeedVerdict::kFaster ? 1 : 0;
      }
      CHECK(faster <= kTrials / 100);
    }
  }

  TEST_CASE("twice as fast is found as twice as fast, and the other way round") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SimulatedDevice device(seed);
      device.baseline_us = 2000;
      const PairedResult result = device.run();
      CHECK(result.ratio == doctest::Approx(2).epsilon(0.03));
      CHECK(judge_speed(result.ratio_ci, 0.02) == SpeedVerdict::kFaster);
      SimulatedDevice slow(seed);
      slow.kernel_us = 2000;
      CHECK(judge_speed(slow.run().ratio_ci, 0.02) == SpeedVerdict::kSlower);
    }
  }

  TEST_CASE("a true gain of 2 % on a quiet device is found within the budget") {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      SimulatedDevice device(seed);
      device.noise = 0.01;
      device.baseline_us = 1020;
      PairedOptions options;
      options.noise_floor = NoiseFloor{0.005, 0};
      found += judge_speed(device.run(options).ratio_ci, 0.005) == SpeedVerdict::kFaster ? 1 : 0;
    }
    CHECK(found >= 38);
  }

  TEST_CASE("the budget is used where a narrow interval does not decide, and only there") {
    SimulatedDevice device(3);
    device.noise = 0.001;
    device.baseline_us = 1010;  // On the floor itself: no number of blocks decides.
    PairedOptions options;
    CHECK(device.run(options).stop == StopReason::kTarget);
    options.noise_floor = NoiseFloor{0.01, 0};
    options.time_budget_ms = 400;
    CHECK(SimulatedDevice(device).run(options).stop == StopReason::kTimeBudget);
    device.baseline_us = 1100;
    CHECK(device.run(options).stop == StopReason::kTarget);
  }

  TEST_CASE("what equals differ by however short they are is no gain") {
    const NoiseFloor floor{0.01, 0.3};
    CHECK(floor.at(4) == doctest::Approx(0.075));
    CHECK(floor.at(1000) == 0.01);
    const auto verdict = [&](double kernel_us, double baseline_us) {
      SimulatedDevice device(5);
      device.noise = 0.005;
      device.kernel_us = kernel_us;
      device.baseline_us = baseline_us;
      PairedOptions options;
      options.noise_floor = floor;
      const PairedResult result = device.run(options);
      return judge_speed(result.ratio_ci, result.noise_at(floor));
    };
    CHECK(verdict(4, 4.12) == SpeedVerdict::kEquivalent);
    CHECK(verdict(4.12, 4) == SpeedVerdict::kEquivalent);
    CHECK(verdict(4, 4.25) == SpeedVerdict::kInconclusive);
    CHECK(verdict(4, 4.5) == SpeedVerdict::kFaster);
    CHECK(verdict(4.5, 4) == SpeedVerdict::kSlower);
    CHECK(verdict(1000, 1030) == SpeedVerdict::kFaster);
  }

  TEST_CASE("a device that is too noisy to tell calls nothing equivalent") {
    CHECK(judge_speed({1.39, 1.76}, 0.8) == SpeedVerdict::kInconclusive);
    CHECK(judge_speed({0.97, 1.04}, 0.8) == SpeedVerdict::kEquivalent);
    CHECK(judge_speed({0.97, 1.04}, 0.01) == SpeedVerdict::kInconclusive);
  }

  TEST_CASE("drift that slows both sides cancels") {
    SimulatedDevice device(3);
    device.drift_per_s = 0.5;  // 1.5 times slower after a second: far more than what is asked.
    PairedOptions options;
    options.target_half_width = 0.001;
    const PairedResult result = device.run(options);
    CHECK(result.kernel_us.back() > 1.3 * result.kernel_us.front());
    CHECK(result.ratio == doctest::Approx(1).epsilon(0.01));
  }

  TEST_CASE("an advantage of the side that runs second cancels by the random order") {
    SimulatedDevice device(3);
    device.second_run = 0.8;
    PairedOptions options;
    options.target_half_width = 0.001;
    const PairedResult result = device.run(options);
    CHECK(judge_speed(result.ratio_ci, 0.01) != SpeedVerdict::kFaster);
    CHECK(judge_speed(result.ratio_ci, 0.01) != SpeedVerdict::kSlower);
  }

  TEST_CASE(
      "a quiet device stops at the target, a noisy one at the budget, a fast one at the cap") {
    SimulatedDevice quiet(1);
    quiet.noise = 0.001;
    const PairedResult short_run = quiet.run();
    CHECK(short_run.stop == StopReason::kTarget);
    CHECK(short_run.kernel_us.size() > 80);  // min_time_ms of 200 at a little over 2 ms each.
    CHECK(short_run.kernel_us.size() < 120);

    SimulatedDevice noisy(1);
    noisy.noise = 1;
    const PairedResult long_run = noisy.run();
    CHECK(long_run.stop == StopReason::kTimeBudget);
    CHECK(judge_speed(long_run.ratio_ci, 0.01) == SpeedVerdict::kInconclusive);

    SimulatedDevice fast(1);
    fast.noise = 1;
    fast.kernel_us = fast.baseline_us = 1;
    CHECK(fast.run().stop == StopReason::kMaxBlocks);
  }

  TEST_CASE("an interval is narrow enough at a quarter of the noise floor") {
    PairedOptions options;
    options.min_time_ms = 20;
    options.target_half_width = 0.001;
    const auto half_width = [&](double floor) {
      SimulatedDevice device(1);
      options.noise_floor = NoiseFloor{.ratio = floor, .us = 0};
      const PairedResult result = device.run(options);
      CHECK(result.stop == StopReason::kTarget);
      return std::log(result.ratio_ci.high / result.ratio_ci.low) / 2;
    };
    CHECK(half_width(0.08) <= 0.02);
    CHECK(half_width(0.08) > 0.01);
    CHECK(half_width(0.04) <= 0.01);
  }

  TEST_CASE("a slow kernel still gets its ten blocks") {
    SimulatedDevice device(1);
    device.kernel_us = device.baseline_us = 1e6;
    CHECK(device.run().kernel_us.size() == 10);
  }

  TEST_CASE("both sides lead about equally often, in an order that the seed sets") {
    std::vector<Side> order;
    const auto measure = [&](Side side) -> Result<double> {
      order.push_back(side);
      return 1.0;
    };
    PairedOptions options;
    options.now_ms = [] { return 0.0; };
    options.max_blocks = 400;
    options.target_half_width = -1;
    REQUIRE(measure_paired(measure, options).has_value());
    const std::vector<Side> first = order;
    int kernel_leads = 0;
    for (std::size_t i = 2; i < order.size(); i += 2) {
      CHECK(order[i] != order[i + 1]);
      kernel_leads += order[i] == Side::kKernel ? 1 : 0;
    }
    CHECK(kernel_leads > 150);
    CHECK(kernel_leads < 250);
    order.clear();
    REQUIRE(measure_paired(measure, options).has_value());
    CHECK(order == first);
  }

  PairedResult with_overhead(double kernel_us, double baseline_us) {
    constexpr double kOverhead = 100;
    PairedOptions options;
    options.now_ms = [] { return 0.0; };
    options.max_blocks = 40;
    options.target_half_width = -1;
    options.overhead_us = kOverhead;
    options.twin = true;
    const auto result = measure_paired(
        [&](Side side) -> Result<double> {
          return kOverhead + (side == Side::kKernel ? kernel_us : baseline_us);
        },
        options);
    REQUIRE(result.has_value());
    return *result;
  }

  TEST_CASE("the same overhead comes off both sides, and the twin equals the baseline") {
    const PairedResult result = with_overhead(100, 300);
    CHECK(result.ratio == doctest::Approx(3));
    CHECK(result.kernel_us.front() == doctest::Approx(100));
    CHECK(result.baseline_us.front() == doctest::Approx(300));
    CHECK(result.twin_log_ratio == doctest::Approx(0));
    CHECK_FALSE(result.resolution_limited);
  }

  TEST_CASE("two sides that the overhead hides make no ratio: nothing is taken off their times") {
    const PairedResult result = with_overhead(0.001, 40);
    CHECK(result.resolution_limited);
    CHECK(result.ratio == doctest::Approx(1.4).epsilon(0.001));
    CHECK(result.kernel_us.front() == doctest::Approx(100.001));
  }

  TEST_CASE(
      "where the overhead hides one side, the ratio is a bound, nearer to 1 than the kernels'") {
    const PairedResult faster = with_overhead(0.001, 300);
    CHECK_FALSE(faster.resolution_limited);
    CHECK(faster.ratio == doctest::Approx(4).epsilon(0.001));
    CHECK(faster.kernel_us.front() == doctest::Approx(100.001));
    CHECK(faster.baseline_us.front() == doctest::Approx(400));
    CHECK(faster.twin_log_ratio == doctest::Approx(0));
    const PairedResult slower = with_overhead(300, 0.001);
    CHECK_FALSE(slower.resolution_limited);
    CHECK(slower.ratio == doctest::Approx(0.25).epsilon(0.001));
  }

  TEST_CASE("an error of the device ends the measurement and is passed on") {
    int calls = 0;
    const auto result = measure_paired(
        [&](Side) -> Result<double> {
          if (++calls == 7) {
            return fail(ErrorCode::kDeviceLost, "the worker died");
          }
          return 1.0;
        },
        {});
    REQUIRE_FALSE(result.has_value());
    CHECK(to_text(result.error()) == "device_lost: the worker died");
    CHECK(calls == 7);
    const auto zero = measure_paired([](Side) -> Result<double> { return 0.0; }, {});
    REQUIRE_FALSE(zero.has_value());
    CHECK(to_text(zero.error()) == "internal: a measured time is not positive: 0.000000");
  }

  struct VerdictCase {
    Interval ci;
    double floor;
    const char* verdict;
  };

  TEST_CASE("the verdict depends on where the interval lies and on the floor") {
    const VerdictCase cases[] = {
        {{1.05, 1.10}, 0.02, "faster"},      {{1.01, 1.10}, 0.02, "inconclusive"},
        {{0.90, 0.95}, 0.02, "slower"},      {{0.90, 0.99}, 0.02, "inconclusive"},
        {{0.99, 1.015}, 0.02, "equivalent"}, {{0.995, 1.005}, 0, "equivalent"},
        {{1.002, 1.006}, 0, "faster"},       {{1.002, 1.006}, 0.004, "equivalent"},
        {{0.5, 2.0}, 0.02, "inconclusive"},  {{1.05, 1.10}, 0.2, "inconclusive"},
    };
    for (const VerdictCase& c : cases) {
      CAPTURE(c.ci.low);
      CAPTURE(c.floor);
      CHECK(name_of(judge_speed(c.ci, c.floor)) == c.verdict);
    }
  }
}

}  // namespace ws
