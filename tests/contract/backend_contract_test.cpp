// The contract that every backend keeps: the CPU engine, CUDA and HIP on their fake drivers, and
// CUDA on a GPU.
#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/evaluate/measure/digest_check.h"
#include "tests/support/contract_device.h"

namespace ws::test {

TEST_SUITE("contract.backend") {
  using std::chrono::milliseconds;

  constexpr milliseconds kLimit{10'000};

  /// Runs the case on each device.
  void on_each(const std::function<void(const ContractDevice&)>& test) {
    for (const ContractDevice& device : contract_devices()) {
      CAPTURE(device.name);
      test(device);
    }
  }

  void require_open(const ContractRun& run) {
    REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
  }

  RunOutcome ring(const ContractRun& run, std::uint64_t poison = 0x123456789abcdef1) {
    const auto outcome = (*run.session)->run(poison, kLimit, {});
    REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
    return *outcome;
  }

  TEST_CASE("launches run in order on the arena's buffers, once for each doorbell") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"add_one", "twice"}, 100);
      require_open(run);
      std::ranges::fill(run.values(), 5);
      CHECK(ring(run).ok());
      CHECK(std::ranges::all_of(run.values(), [](int value) { return value == 12; }));
      CHECK(ring(run).ok());
      CHECK(std::ranges::all_of(run.values(), [](int value) { return value == 26; }));
    });
  }

  TEST_CASE("a doorbell without a launch changes nothing") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"add_one"}, 100);
      require_open(run);
      std::ranges::fill(run.values(), 5);
      CHECK(ring(run, kNoLaunch).ok());
      CHECK(std::ranges::all_of(run.values(), [](int value) { return value == 5; }));
    });
  }

  TEST_CASE("a kernel's write beyond a buffer is seen in its guard") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"past_end"}, 64);
      require_open(run);
      std::ranges::fill(run.guard_behind(), 0);
      CHECK(ring(run).ok());
      CHECK(run.guard_behind()[0] == 7);
      CHECK(run.guard_behind()[1] == 0);
    });
  }

  TEST_CASE("a variable of the kernel's has its first value at every doorbell") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"count"}, 1);
      require_open(run);
      for (int i = 0; i < 3; ++i) {
        CHECK(ring(run).ok());
        CHECK(run.values()[0] == 1);
      }
    });
  }

  TEST_CASE("an owner's next kernel has its own code, buffers and variables") {
    on_each([](const ContractDevice& device) {
      for (const int n : {1, 3000, 100}) {
        const ContractRun counted(device, {"count"}, n, false, "contract");
        require_open(counted);
        CHECK(ring(counted).ok());
        CHECK(counted.values()[0] == 1);
      }
      const ContractRun added(device, {"add_one"}, 50, false, "contract");
      require_open(added);
      std::ranges::fill(added.values(), 5);
      CHECK(ring(added).ok());
      CHECK(std::ranges::all_of(added.values(), [](int value) { return value == 6; }));
      const auto timing = (*added.session)->time({0x9e3779b97f4a7c15, 3, /*hot=*/0}, kLimit, {});
      REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
      CHECK(timing->run.ok());
    });
  }

  TEST_CASE("a symbol holds its argument when the kernel starts") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"copy_table"}, 4, /*table=*/true);
      require_open(run);
      for (int i = 0; i < 2; ++i) {
        std::ranges::fill(run.table(), 40 + i);
        CHECK(ring(run).ok());
        CHECK(std::ranges::equal(run.values(), run.table()));
      }
    });
  }

  TEST_CASE("timed launches each see the buffers and variables as they were") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"count", "add_one"}, 100);
      require_open(run);
      for (const std::uint32_t hot : {0U, 1U}) {
        std::ranges::fill(run.values(), 5);
        const TimingRequest request{0x9e3779b97f4a7c15, 7, hot};
        const auto timing = (*run.session)->time(request, kLimit, {});
        REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
        CHECK(timing->run.ok());
        CHECK(run.values()[0] == 2);
        CHECK(std::all_of(run.values().begin() + 1, run.values().end(),
                          [](int value) { return value == 6; }));
        REQUIRE_FALSE(timing->samples.empty());
        CHECK(timing->kept < timing->samples.size());
        for (const TimingSample& sample : timing->samples) {
          CHECK(sample.us > 0);
        }
      }
    });
  }

  /// By how much the inputs of the kept launch of a timing were rotated: add_index adds a value's
  /// place in the launch. The values themselves must be back in their places.
  int rotation_of(const ContractRun& run, const TimingRequest& request) {
    const auto n = static_cast<int>(run.values().size());
    for (int i = 0; i < n; ++i) {
      run.values()[static_cast<std::size_t>(i)] = i * n;
    }
    const auto timing = (*run.session)->time(request, kLimit, {});
    REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
    CHECK(timing->run.ok());
    const int first = run.values()[0];
    for (int i = 0; i < n; ++i) {
      CHECK(run.values()[static_cast<std::size_t>(i)] == i * n + (first + i) % n);
    }
    return first;
  }

  TEST_CASE("timed launches on a GPU see inputs of their own, which both sides of a pair share") {
    constexpr int kCount = 1009;
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"add_index"}, kCount, false, "", "", /*rotation_step=*/1);
      require_open(run);
      CHECK(rotation_of(run, {.poison = 21, .launches = 5}) == 0);
      std::set<int> seen;
      for (std::uint64_t inputs = 1; inputs <= 4; ++inputs) {
        const int few =
            rotation_of(run, {.poison = 22, .launches = 4, .inputs = inputs, .shared = 4});
        const int many = rotation_of(
            run, {.poison = 23, .launches = 9, .hot = 1, .inputs = inputs, .shared = 4});
        CHECK(few == many);
        seen.insert(few);
      }
      CHECK((seen.size() > 1) == (device.name != "cpu"));
    });
  }

  /// The digests of a timing whose launches find 0, 1, 2, ... in an order of their own.
  std::vector<OutputDigest> digests_of(const ContractRun& run, const TimingRequest& request) {
    require_open(run);
    std::iota(run.values().begin(), run.values().end(), 0);
    const auto timing = (*run.session)->time(request, kLimit, {});
    REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
    CHECK(timing->run.ok());
    return timing->digests;
  }

  TEST_CASE("digests of timed launches on the same inputs agree where their outputs do") {
    constexpr int kCount = 5003;
    on_each([](const ContractDevice& device) {
      const ErrorBound exact{.exact = true};
      const ContractRun one(device, {"add_index"}, kCount, false, "", "", /*rotation_step=*/1);
      const ContractRun same(device, {"add_index"}, kCount, false, "", "", /*rotation_step=*/1);
      const ContractRun other(device, {"add_one"}, kCount, false, "", "", /*rotation_step=*/1);
      const TimingRequest few{.poison = 31, .launches = 5, .inputs = 8, .shared = 5};
      const TimingRequest many{.poison = 32, .launches = 12, .inputs = 8, .shared = 5};
      const std::vector<OutputDigest> expected = digests_of(one, few);
      CHECK(expected.size() == (device.name == "fake" || device.name == "gpu" ? 5 : 0));
      const std::vector<OutputDigest> got = digests_of(same, many);
      const std::vector<OutputDigest> wrong = digests_of(other, many);
      REQUIRE(got.size() == expected.size());
      REQUIRE(wrong.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(expected[i].launch == i);
        CHECK(expected[i].buffer == 0);
        CHECK(expected[i].parts[0].squares > 0);
        CHECK(digests_agree(one.plan.buffers[0], got[i], expected[i], exact));
        CHECK_FALSE(digests_agree(one.plan.buffers[0], wrong[i], expected[i], exact));
        CHECK_FALSE(
            digests_agree(one.plan.buffers[0], got[(i + 1) % got.size()], expected[i], exact));
      }
      CHECK(digests_of(one, {.poison = 33, .launches = 4}).empty());
    });
  }

  TEST_CASE("inputs are rotated by whole steps") {
    constexpr int kRow = 50;
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"add_index"}, 20 * kRow, false, "", "", kRow);
      require_open(run);
      for (std::uint64_t inputs = 1; inputs <= 3; ++inputs) {
        CHECK(rotation_of(run, {.poison = 24, .launches = 3, .inputs = inputs, .shared = 3}) %
                  kRow ==
              0);
      }
    });
  }

  TEST_CASE("a kernel that does not end costs its session, not the device") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"hang"}, 4);
      require_open(run);
      std::ranges::fill(run.values(), 0);
      const milliseconds limit(500);
      const auto outcome = (*run.session)->run(1, limit, {});
      REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
      CHECK(outcome->end == RunOutcome::End::kTimedOut);
      const Fault fault = describe_fault(*outcome, run.image, run.plan, limit);
      CHECK(fault.verdict == Verdict::kTimeout);
      CHECK(fault.message.starts_with("the kernel ran past its limit of 500 ms"));
      const ContractRun next(device, {"add_one"}, 10);
      require_open(next);
      CHECK(ring(next).ok());
    });
  }

  TEST_CASE("a cancel ends a run at once") {
    on_each([](const ContractDevice& device) {
      const ContractRun run(device, {"hang"}, 4);
      require_open(run);
      std::ranges::fill(run.values(), 0);
      std::stop_source stop;
      const auto start = Clock::now();
      std::jthread stopper([&] { stop.request_stop(); });
      const auto outcome = (*run.session)->run(1, milliseconds(60'000), stop.get_token());
      REQUIRE_FALSE(outcome.has_value());
      CHECK(to_text(outcome.error()) == "cancelled: the call was cancelled");
      CHECK(Clock::now() - start < std::chrono::seconds(10));
    });
  }
}

}  // namespace ws::test
