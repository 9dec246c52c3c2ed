// The limits of a GPU: the probes compile, and measurements are kept.
#include "runtime/evaluate/measure/ceilings.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/store/test_folder.h"
#include "runtime/compile/nvrtc_service.h"
#include "runtime/device/cuda/offline_backend.h"
#include "runtime/evaluate/measure/ceiling_kernels.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/contract_device.h"

namespace ws::test {
namespace {

/// The fake GPU, where every launch takes a microsecond, with a compiler that makes one kernel
/// `probe(pointer, int)` of anything: the memory probes, which take more, do not fit it.
class Uncompiled : public Backend {
 public:
  Result<DeviceInfo> info() override {
    DeviceInfo device;
    device.id = "cuda:0";
    device.backend = "cuda";
    device.arch = "sm_90a";
    device.languages = {"cuda"};
    device.uuid = uuid;
    device.sm_count = 4;
    return device;
  }

  Result<CompileReply> compile(const CompileRequest& /*request*/, const std::stop_token& /*stop*/,
                               bool /*fresh*/) override {
    auto outcome = std::make_shared<CompileOutcome>();
    outcome->image = fake_image({"probe"});
    return CompileReply{std::move(outcome), CacheUse::kMiss};
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    ++opened;
    return gpu_->open(image, plan, std::move(arena));
  }

  void warm() override {}

  int opened = 0;
  std::string uuid = "GPU-1";

 private:
  std::unique_ptr<Backend> gpu_ = fake_gpu();
};

constexpr double kF32 = 2.0 * 16 * 4 * 2048 * 256 * 32 / 1e6;  // In a microsecond: 1e12/s.
constexpr double kF16 = 2.0 * 64 * 256 * 16 * 4 * 512 * (4 * 2) / 1e6;

}  // namespace

TEST_SUITE("tools.ceilings") {
  TEST_CASE("what can be measured is, once for each device, and is kept in the archive") {
    const TestFolder folder;
    auto archive = Archive::open(folder.path());
    REQUIRE(archive.has_value());
    Uncompiled gpu;
    const DeviceInfo info = *gpu.info();
    {
      DeviceCeilings ceilings(**archive);
      CHECK_FALSE(ceilings.stored(info).has_value());
      const auto measured = ceilings.get(gpu, {});
      REQUIRE_MESSAGE(measured.has_value(), to_text(measured.error()));
      CHECK(measured->copy_gbps == 0);
      CHECK(measured->read_gbps == 0);
      CHECK_FALSE(measured->complete);
      REQUIRE(measured->tflops.size() == 5);
      CHECK(measured->tflops.at("f32") == doctest::Approx(kF32));
      CHECK(measured->tflops.at("tf32") == doctest::Approx(kF16 / 2));
      CHECK(measured->tflops.at("f16") == doctest::Approx(kF16));
      CHECK(measured->tflops.at("bf16") == doctest::Approx(kF16));
      CHECK(measured->tflops.at("f8") == doctest::Approx(kF16 * 2));
      CHECK(gpu.opened == 5);
    }
    DeviceCeilings again(**archive);
    const auto stored = again.stored(info);
    REQUIRE(stored.has_value());
    CHECK(ceilings_form(*stored).size() == 5);
    CHECK(ceilings_form(*stored)["f16_tflops"] == stored->tflops.at("f16"));
    CHECK(again.get(gpu, {})->tflops == stored->tflops);
    CHECK(gpu.opened == 5);
    gpu.uuid = "GPU-2";  // Another one where the first was.
    CHECK_FALSE(again.stored(*gpu.info()).has_value());
  }

  struct ArchRow {
    const char* arch;
    const char* units;
    const char* instruction;  ///< The instruction of the tensor core probes.
    bool complete;
  };

  constexpr ArchRow kArchs[] = {
      {"sm_75", "copy read f32", "", false},
      {"sm_80", "copy read f32 tf32 f16 bf16", "mma.sync", false},
      {"sm_89", "copy read f32 tf32 f16 bf16 f8", "mma.sync", false},
      {"sm_90a", "copy read f32 tf32 f16 bf16 f8", "wgmma.mma_async", true},
      {"sm_100a", "copy read f32", "", false},
      {"sm_120a", "copy read f32 tf32 f16 bf16 f8", "mma.sync", false},
  };

  TEST_CASE("each architecture is probed with the instruction that is fastest there") {
    for (const ArchRow& row : kArchs) {
      CAPTURE(std::string(row.arch));
      std::string units;
      for (const CeilingProbe& probe : ceiling_probes(row.arch, 2)) {
        units += (units.empty() ? "" : " ") + probe.unit;
        const bool tensor = probe.unit != "copy" && probe.unit != "read" && probe.unit != "f32";
        CHECK((!tensor || probe.problem.find(row.instruction) != std::string::npos));
      }
      CHECK(units == row.units);
      CHECK(probes_are_complete(row.arch) == row.complete);
    }
  }

  TEST_CASE("every probe compiles for its architecture") {
    const Result<Toolkit> toolkit = find_toolkit({});
    if (!toolkit) {
      MESSAGE("left out: no CUDA toolkit is here");
      return;
    }
    const auto compiler = std::make_shared<CompileService>(
        nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith", *toolkit));
    for (const char* arch : {"sm_80", "sm_89", "sm_90a", "sm_120a"}) {
      const auto backend = make_offline_cuda_backend(arch, compiler);
      for (const CeilingProbe& probe : ceiling_probes(arch, 2)) {
        CAPTURE(std::string(arch));
        CAPTURE(probe.unit);
        const auto problem = parse_problem(probe.problem);
        REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
        const auto compiled =
            compile_for(*backend, *problem, *problem->reference,
                        expand_workloads(*problem)->front(), {}, {.build = Build::kFast}, {});
        REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
        CHECK_MESSAGE(compiled->ok(), compiled->message);
      }
    }
  }
}

}  // namespace ws::test
