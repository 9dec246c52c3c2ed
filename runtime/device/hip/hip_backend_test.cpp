// The HIP backend and its real workers, on the fake runtime. What all backends have in common is in
// tests/contract.
#include "runtime/device/hip/hip_backend.h"

#include <doctest/doctest.h>

#include "runtime/device/fault_report.h"
#include "runtime/device/hip/arch.h"
#include "tests/support/contract_device.h"

namespace ws {

TEST_SUITE("device.hip") {
  using std::chrono::milliseconds;
  using test::ContractDevice;
  using test::ContractRun;

  constexpr milliseconds kLimit{5'000};

  ContractRun open(Backend & backend, const std::string& kernel) {
    return {ContractDevice{"fake hip", &backend, test::fake_image}, {kernel}, 8};
  }

  TEST_CASE("a kernel's fault is a verdict in HIP's words, also while it is timed") {
    const auto backend = test::fake_hip_gpu();
    for (const bool timed : {false, true}) {
      const ContractRun run = open(*backend, "fault_700");
      REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
      Result<RunOutcome> outcome = fail(ErrorCode::kInternal, "not run");
      if (timed) {
        auto timing = (*run.session)->time({.poison = 3, .launches = 2, .hot = 0}, kLimit, {});
        REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
        outcome = timing->run;
      } else {
        outcome = (*run.session)->run(3, kLimit, {});
        REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
      }
      const Fault fault = describe_fault(*outcome, run.image, run.plan, kLimit);
      CHECK(fault.verdict == Verdict::kRuntimeError);
      CHECK(fault.message ==
            "launches[0] (`fault_700`): a thread read or wrote an address where no buffer is, or "
            "its stack overflowed (HIP error 700); run validate on cpu:0, which names the line");
    }
  }

  TEST_CASE("each timed launch is one sample, of its launches only") {
    const auto backend = test::fake_hip_gpu();
    const ContractRun run = open(*backend, "add_one");
    REQUIRE(run.session.has_value());
    const auto timing = (*run.session)->time({.poison = 5, .launches = 4, .hot = 0}, kLimit, {});
    REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
    REQUIRE(timing->samples.size() == 4);
    for (const TimingSample& sample : timing->samples) {
      CHECK(sample.us == doctest::Approx(1));  // One tick of the fake: one launch.
    }
    CHECK(timing->empty_us == 0);
  }

  TEST_CASE("a launch with features that HIP lacks is refused by the runtime's own code") {
    const auto backend = test::fake_hip_gpu();
    const ContractDevice device{"fake hip", backend.get(), test::fake_image};
    ContractRun run(device, {"add_one"}, 8);
    run.plan.steps[0].cooperative = true;
    const auto bound = bind_plan(run.plan, run.image, *run.arena);
    REQUIRE(bound.has_value());
    auto session = backend->open(run.image, *bound, run.arena);
    REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
    const auto outcome = (*session)->run(3, kLimit, {});
    REQUIRE(outcome.has_value());
    const Fault fault = describe_fault(*outcome, run.image, run.plan, kLimit);
    CHECK(fault.message ==
          "launches[0] (`add_one`): the driver reported an error (HIP error 801); run validate on "
          "cpu:0, which names the line");
  }

  struct Missing {
    const char* script;
    const char* message;
  };

  TEST_CASE("a runtime that cannot be used says why, and where to look") {
    const Missing cases[] = {
        {".init_100",
         "unsupported: the HIP runtime finds no GPU (hipInit: FAKE_ERROR_100, as scripted); see "
         "whether rocminfo works here"},
        {".init_3",
         "unsupported: the HIP runtime does not start (hipInit: FAKE_ERROR_3, as scripted); see "
         "whether rocminfo works here"},
        {".empty",
         "unsupported: the HIP runtime finds no GPU (hipInit: FAKE_ERROR_100, as scripted); see "
         "whether rocminfo works here"},
    };
    for (const Missing& c : cases) {
      CAPTURE(std::string(c.script));
      const ContractRun run = open(*test::fake_hip_gpu(c.script), "add_one");
      REQUIRE_FALSE(run.session.has_value());
      CHECK(to_text(run.session.error()) == c.message);
    }
  }

  TEST_CASE("a library that is no HIP runtime is named by what it lacks") {
    HipOptions options;
    options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
    options.helpers = "entry ws_poison_shared\n";
    options.lock_folder = WS_BINARY_DIR;
    options.library = std::string(WS_BINARY_DIR) + "/libws_fake_cuda.so";
    const auto compiler =
        std::make_shared<HipCompiler>(hip_service(options.executable, {}),
                                      std::make_unique<HipArchs>(options.executable, HipKit{}, ""));
    const ContractRun run = open(*make_hip_backend(options, compiler), "add_one");
    REQUIRE_FALSE(run.session.has_value());
    CHECK(to_text(run.session.error()) ==
          "unsupported: the HIP runtime has no hipInit; install ROCm's HIP runtime, 5.2 or newer");
  }

  TEST_CASE("too little memory is an error that says how much there is") {
    const auto backend = test::fake_hip_gpu(".small");
    const ContractDevice device{"fake hip", backend.get(), test::fake_image};
    const ContractRun run(device, {"add_one"}, 20 << 20U);
    REQUIRE_FALSE(run.session.has_value());
    CHECK(
        to_text(run.session.error()) ==
        "invalid_argument: the buffers need 82 MiB on the GPU, 300 MiB are free, of which 256 are "
        "kept for the driver; choose a smaller workload, or end other programs that use the GPU");
  }

  struct ArchCase {
    const char* arch;
    std::int64_t wavefront;
    std::int64_t registers;
    std::int64_t shared_bytes;
  };

  constexpr ArchCase kArchs[] = {
      {"gfx900", 64, 65536, 65536},   {"gfx90a", 64, 131072, 65536},
      {"gfx942", 64, 131072, 65536},  {"gfx950", 64, 131072, 163840},
      {"gfx1030", 32, 131072, 65536}, {"gfx1100", 32, 131072, 65536},
  };

  TEST_CASE("an architecture has its lanes, registers and LDS without a device") {
    for (const ArchCase& c : kArchs) {
      CAPTURE(std::string(c.arch));
      const DeviceLimits limits = hip::limits_of(c.arch);
      CHECK(limits.warp_size == c.wavefront);
      CHECK(limits.registers_per_block == c.registers);
      CHECK(limits.max_shared_bytes == c.shared_bytes);
    }
  }
}

}  // namespace ws
