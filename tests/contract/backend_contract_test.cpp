// The contract that every backend keeps: the CPU engine, CUDA and HIP on their fake drivers, and
// CUDA on a GPU.
#include <algorithm>
#include <thread>

#include <doctest/doctest.h>

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
