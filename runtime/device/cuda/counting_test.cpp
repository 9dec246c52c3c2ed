// Counting through the backend and a real worker, on the fake driver and the fake CUPTI.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/device/hardware_counters.h"
#include "tests/support/contract_device.h"

namespace ws::test {
namespace {

constexpr std::chrono::milliseconds kLimit{5'000};

/// add_one over 8 ints, and what the GPU counts of it.
struct Counted {
  /// @param cupti  Path of the library; "" = none.
  explicit Counted(const std::string& cupti, const std::string& kernel = "add_one")
      : gpu(fake_gpu("", cupti)),
        run(ContractDevice{"fake", gpu.get(), fake_image}, {kernel}, 8) {
    for (int& value : run.values()) {
      value = 7;
    }
    auto* const counter = dynamic_cast<CountsInHardware*>(gpu.get());
    REQUIRE(counter != nullptr);
    const auto bound = bind_plan(run.plan, run.image, *run.arena);
    REQUIRE(bound.has_value());
    counters = counter->count(run.image, *bound, run.arena, kLimit, {});
  }

  std::unique_ptr<Backend> gpu;
  ContractRun run;
  Result<HardwareCounters> counters = HardwareCounters{};
};

std::string fake_cupti() {
  return std::string(WS_BINARY_DIR) + "/libws_fake_cupti.so";
}

}  // namespace

TEST_SUITE("device.cuda.counting") {
  TEST_CASE("a worker counts over several passes and leaves the buffers as they were") {
    const Counted counted(fake_cupti());
    REQUIRE_MESSAGE(counted.counters.has_value(), to_text(counted.counters.error()));
    CHECK(counted.counters->passes == 3);
    CHECK(counted.counters->values.at("duration") == 300);
    for (const int value : counted.run.values()) {
      CHECK(value == 7);
    }
  }

  TEST_CASE("a GPU that does not count says why, and the plan can still be run") {
    const TestFolder folder;
    const std::string refusing = (folder.path() / "libcupti.refuse_35.so").string();
    std::filesystem::copy_file(fake_cupti(), refusing);

    struct Case {
      std::string cupti;
      const char* message;
    };

    const Case cases[] = {
        {"",
         "unsupported: CUPTI is not installed, so there are no counters; install CUPTI of CUDA "
         "12.6 or newer beside NVRTC"},
        {refusing,
         "unsupported: the GPU's counters are refused to this user (cuptiRangeProfilerEnable "
         "answered 35); set the driver's option NVreg_RestrictProfilingToAdminUsers=0 "
         "(modprobe.d, then load the driver again), or give the server CAP_SYS_ADMIN; in a "
         "container the host decides"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.cupti);
      Counted counted(c.cupti);
      REQUIRE_FALSE(counted.counters.has_value());
      CHECK(to_text(counted.counters.error()) == c.message);
      REQUIRE(counted.run.session.has_value());
      CHECK((*counted.run.session)->run(1, kLimit, {})->ok());
    }
  }

  TEST_CASE("a kernel that fails under replay, or does not end, is an error and not a count") {
    const Counted failed(fake_cupti(), "fault_700");
    REQUIRE_FALSE(failed.counters.has_value());
    CHECK(to_text(failed.counters.error()) ==
          "internal: a call of the CUDA driver failed (cuStreamSynchronize: FAKE_ERROR_700, as "
          "scripted)");
    const Counted hanging(fake_cupti(), "hang");
    REQUIRE_FALSE(hanging.counters.has_value());
    CHECK(to_text(hanging.counters.error()) == "timeout: counting took longer than 5000 ms");
  }
}

}  // namespace ws::test
