// Counters over several passes, on a fake CUPTI that minds the order of calls.
#include "runtime/device/cuda/measure/range_profiler.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"

namespace ws::test {
namespace {

/// The fake library under another name, which is its script; "" = its own.
class FakeCupti {
 public:
  explicit FakeCupti(const std::string& script) {
    const std::string own = std::string(WS_BINARY_DIR) + "/libws_fake_cupti.so";
    path_ = script.empty() ? own : (folder_.path() / ("libcupti." + script + ".so")).string();
    if (!script.empty()) {
      std::filesystem::copy_file(own, path_);
    }
  }

  [[nodiscard]] Result<cuda::Cupti> open() const { return cuda::Cupti::open(path_); }

 private:
  TestFolder folder_;
  std::string path_;
};

struct Measured {
  Result<HardwareCounters> counters;
  int prepared = 0;
  int launched = 0;
};

/// @param fails_at  The launch that answers an error; 0 = none.
Measured measure(const std::string& script, int fails_at = 0) {
  const FakeCupti fake(script);
  auto cupti = fake.open();
  REQUIRE_MESSAGE(cupti.has_value(), to_text(cupti.error()));
  Measured measured{HardwareCounters{}};
  auto profiler = cuda::RangeProfiler::create(*cupti, nullptr, 0);
  if (!profiler) {
    measured.counters = fail(profiler.error());
    return measured;
  }
  measured.counters = (*profiler)->measure(
      [&]() -> Status {
        ++measured.prepared;
        return {};
      },
      [&]() -> Status {
        ++measured.launched;
        if (measured.launched == fails_at) {
          return fail(ErrorCode::kInternal, "the kernel failed");
        }
        return {};
      });
  return measured;
}

}  // namespace

TEST_SUITE("device.cuda.range_profiler") {
  TEST_CASE("the plan is prepared and launched once for each pass, and every metric has a value") {
    const Measured measured = measure("");
    REQUIRE_MESSAGE(measured.counters.has_value(), to_text(measured.counters.error()));
    CHECK(measured.counters->passes == 3);
    CHECK(measured.prepared == 3);
    CHECK(measured.launched == 3);
    CHECK(measured.counters->missing.empty());
    REQUIRE(measured.counters->values.size() == kHardwareMetrics.size());
    CHECK(measured.counters->values.at("duration") == 300);
    CHECK(measured.counters->values.at("sm_percent") == 301);
  }

  TEST_CASE("metrics that the chip lacks are named, and the others counted") {
    const Measured measured = measure("lacks_stalled");
    REQUIRE(measured.counters.has_value());
    CHECK(measured.counters->missing ==
          std::vector<std::string>{"stall_long_scoreboard", "stall_short_scoreboard",
                                   "stall_barrier", "stall_math_pipe", "stall_lg_throttle"});
    CHECK(measured.counters->values.size() == kHardwareMetrics.size() - 5);
  }

  TEST_CASE("a launch that fails under replay ends the measurement with its error") {
    const Measured measured = measure("", 2);
    REQUIRE_FALSE(measured.counters.has_value());
    CHECK(to_text(measured.counters.error()) == "internal: the kernel failed");
    CHECK(measured.launched == 2);
  }

  TEST_CASE("what keeps a GPU from counting is said, with what to do about it") {
    struct Case {
      const char* script;
      const char* message;
    };

    constexpr Case kCases[] = {
        {"refuse_35",
         "unsupported: the GPU's counters are refused to this user "
         "(cuptiRangeProfilerEnable answered 35); set the driver's option "
         "NVreg_RestrictProfilingToAdminUsers=0 (modprobe.d, then load the driver again), or give "
         "the server CAP_SYS_ADMIN; in a container the host decides"},
        {"refuse_43",
         "unsupported: the GPU's counters are not there for a part of a GPU (MIG) that shares "
         "them (cuptiRangeProfilerEnable answered 43); use a compute instance with a GPU instance "
         "of its own, or the whole GPU"},
        {"refuse_33",
         "unsupported: the GPU's counters are not there for a virtual GPU "
         "(cuptiRangeProfilerEnable answered 33)"},
        {"refuse_999", "internal: CUPTI failed (cuptiRangeProfilerEnable answered 999)"},
        {"passes_65", "internal: the counters would take 65 passes"},
        {"lacks__", "unsupported: the GPU has none of the counters that are asked for"},
    };
    for (const Case& c : kCases) {
      CAPTURE(c.script);
      const Measured measured = measure(c.script);
      REQUIRE_FALSE(measured.counters.has_value());
      CHECK(to_text(measured.counters.error()) == c.message);
    }
  }

  TEST_CASE("without CUPTI, or with an old one, the message says what to install") {
    const auto none = cuda::Cupti::open("/nowhere/libcupti.so");
    REQUIRE_FALSE(none.has_value());
    CHECK(to_text(none.error()) ==
          "unsupported: CUPTI is not installed, so there are no counters (/nowhere/libcupti.so: "
          "cannot open shared object file: No such file or directory); install CUPTI of CUDA 12.6 "
          "or newer (package cuda-cupti-13-0, or pip nvidia-cuda-cupti) beside NVRTC");
    const auto other = cuda::Cupti::open(std::string(WS_BINARY_DIR) + "/libws_fake_cuda.so");
    REQUIRE_FALSE(other.has_value());
    CHECK(to_text(other.error()) ==
          "unsupported: the installed CUPTI is too old (dlsym: cuptiProfilerInitialize); install "
          "CUPTI of CUDA 12.6 or newer (package cuda-cupti-13-0, or pip nvidia-cuda-cupti) beside "
          "NVRTC");
  }
}

}  // namespace ws::test
