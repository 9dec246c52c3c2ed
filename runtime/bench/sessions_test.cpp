#include "runtime/bench/sessions.h"

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace ws {
namespace {

/// Sessions of a busy machine: each differs by a few percent, and one in twelve by a lot.
class BusyMachine {
 public:
  explicit BusyMachine(std::uint64_t seed)
      : random_(seed) {}

  /// log(baseline / kernel) of kernels that differ by `gain`.
  double ratio(double gain) { return std::log(gain) + session() - session(); }

  std::vector<SessionRatio> compare(double gain, std::size_t workloads, std::size_t rounds) {
    std::vector<SessionRatio> sessions;
    for (std::size_t i = 0; i < workloads * rounds; ++i) {
      sessions.push_back({i % workloads, ratio(gain), ratio(1)});
    }
    return sessions;
  }

 private:
  double session() { return (spikes_(random_) == 0 ? 0.6 : 0.04) * normal_(random_); }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_int_distribution<int> spikes_{0, 11};
};

bool found(const SessionsSummary& summary) {
  return std::abs(summary.log_ratio) > std::log1p(summary.noise_floor);
}

}  // namespace

TEST_SUITE("bench.sessions") {
  TEST_CASE("of 10,000 comparisons of equals on a busy machine, next to none seems to differ") {
    for (const auto& [workloads, rounds] : {std::pair{1U, 6U}, {1U, 4U}, {3U, 3U}, {8U, 3U}}) {
      CAPTURE(workloads);
      CAPTURE(rounds);
      BusyMachine machine(workloads);
      int wrong = 0;
      for (int i = 0; i < 10'000; ++i) {
        wrong += found(summarise(machine.compare(1, workloads, rounds))) ? 1 : 0;
      }
      CHECK(wrong <= 10);
    }
  }

  TEST_CASE("a kernel that is twice as fast is found on a machine with a few percent of noise") {
    std::mt19937_64 random(3);
    std::normal_distribution<double> noise(0, 0.04);
    int seen = 0;
    for (int i = 0; i < 1000; ++i) {
      std::vector<SessionRatio> sessions;
      for (int s = 0; s < 6; ++s) {
        sessions.push_back({0, std::log(2) + noise(random), noise(random)});
      }
      seen += found(summarise(sessions)) ? 1 : 0;
    }
    CHECK(seen == 1000);
  }

  TEST_CASE("workloads may gain differently: that is no noise") {
    const std::vector<SessionRatio> sessions = {
        {0, 0.5, 0.01}, {1, 1.5, -0.01}, {0, 0.52, -0.01}, {1, 1.48, 0.01}};
    const SessionsSummary summary = summarise(sessions);
    CHECK(summary.log_ratio == doctest::Approx(1));
    CHECK(summary.noise_floor < 0.1);
  }

  TEST_CASE("a part of the sessions knows less than all of them") {
    CHECK(floor_of_part(0.21, 1) == doctest::Approx(0.21));
    CHECK(floor_of_part(0.21, 4) == doctest::Approx(1.21 * 1.21 - 1));
  }
}

}  // namespace ws
