// The backend with lavapipe, where it is installed; and without any driver.
#include "runtime/device/vulkan/vulkan_backend.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/shader_service.h"
#include "runtime/compile/spirv/module.h"
#include "runtime/device/cpu/cpu_backend.h"
#include "runtime/device/vulkan/workers.h"
#include "tests/support/tool_bench.h"

namespace ws {

TEST_SUITE("device.vulkan") {
  const std::string kExecutable = std::string(WS_BINARY_DIR) + "/warpsmith";

  /// Its references are nobody's.
  struct VulkanBench {
    explicit VulkanBench(int device, std::string drivers)
        : cores(std::make_shared<CoreGate>()),
          engine(make_cpu_backend(kExecutable, nullptr, cores)) {
      VulkanOptions options;
      options.executable = kExecutable;
      options.device = device;
      options.drivers = std::move(drivers);
      backend = make_vulkan_backend(std::move(options),
                                    std::make_shared<CompileService>(shader_service(kExecutable)),
                                    *engine, cores);
    }

    std::shared_ptr<CoreGate> cores;
    std::unique_ptr<Backend> engine;
    std::unique_ptr<Backend> backend;
  };

  TEST_CASE("devices are counted by the files of their drivers") {
    CHECK(count_vulkan_devices("/nowhere/lvp_icd.json") == 0);
    CHECK(count_vulkan_devices("") == 0);
    if (test::lavapipe_is_here()) {
      CHECK(count_vulkan_devices(test::lavapipe_driver()) == 1);
    }
  }

  TEST_CASE("without a driver, or without the device, the answer says so") {
    if (!test::lavapipe_is_here()) {
      return;
    }
    const auto none = VulkanBench(0, "/nowhere/lvp_icd.json").backend->info();
    REQUIRE(!none.has_value());
    CHECK(none.error().code == ErrorCode::kUnsupported);
    CHECK(none.error().message == "no Vulkan driver is here");
    CHECK(none.error().hint ==
          "apt install mesa-vulkan-drivers, which has a device on the CPU (lavapipe) too");
    const auto seventh = VulkanBench(7, test::lavapipe_driver()).backend->info();
    REQUIRE(!seventh.has_value());
    CHECK(to_text(seventh.error()) == "not_found: vulkan:7 is not there; Vulkan shows 1 device");
  }

  TEST_CASE("lavapipe is an emulated device that takes shaders") {
    if (!test::lavapipe_is_here()) {
      return;
    }
    const VulkanBench bench(0, test::lavapipe_driver());
    const auto info = bench.backend->info();
    REQUIRE_MESSAGE(info.has_value(), to_text(info.error()));
    CHECK(info->id == "vulkan:0");
    CHECK(info->backend == "vulkan");
    CHECK(info->name.starts_with("llvmpipe"));
    CHECK(info->driver.starts_with("llvmpipe, Mesa "));
    CHECK(info->arch == "spirv1.5");
    CHECK(info->emulated);
    CHECK(info->languages == std::vector<std::string>{"hlsl", "glsl"});
    CHECK(info->limits.warp_size >= 4);
    CHECK(info->limits.max_shared_bytes >= 16384);
    CHECK(&bench.backend->for_reference("cuda") == bench.engine.get());
    CHECK(&bench.backend->for_reference("glsl") == bench.backend.get());
  }

  TEST_CASE("all threads of a worker have the filter when it takes a kernel, the driver's too") {
    if (!test::lavapipe_is_here()) {
      return;
    }
    vulkan::Workers workers(kExecutable, {0, test::lavapipe_driver()});
    const auto worker = workers.take();
    REQUIRE_MESSAGE(worker.has_value(), to_text(worker.error()));
    const std::filesystem::path threads =
        std::filesystem::path("/proc") / std::to_string(worker->pid()) / "task";
    int count = 0;
    for (const auto& thread : std::filesystem::directory_iterator(threads)) {
      ++count;
      const std::string status = read_file(thread.path() / "status").value();
      CHECK(status.find("\nSeccomp:\t2\n") != std::string::npos);
      CHECK(status.find("\nNoNewPrivs:\t1\n") != std::string::npos);
    }
    CHECK(count > 1);
  }

  TEST_CASE("a module that no driver can read ends its worker only") {
    if (!test::lavapipe_is_here()) {
      return;
    }
    const VulkanBench bench(0, test::lavapipe_driver());
    // An entry point without its function.
    constexpr std::uint32_t kVersion = 0x00010500;
    spirv::ShaderCode code;
    code.words = {spirv::kMagic,
                  kVersion,
                  0,
                  8,
                  0,
                  2U << 16U | 17U,
                  1,  // OpCapability Shader
                  3U << 16U | 14U,
                  0,
                  1,  // OpMemoryModel Logical GLSL450
                  4U << 16U | 15U,
                  spirv::kModelGlCompute,
                  4,
                  'k'};
    Image image;
    image.blob = spirv::encode_shaders({code});
    image.entries.emplace_back();
    BufferSpec buffer;
    buffer.name = "y";
    auto arena = Arena::create({buffer}, 1U << 20U);
    REQUIRE(arena.has_value());
    RunPlan plan;
    plan.arena_bytes = (*arena)->bytes();
    plan.steps.emplace_back();
    auto session = bench.backend->open(image, plan, *arena);
    REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
    const auto outcome = (*session)->run(1, std::chrono::seconds(20), {});
    REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
    CHECK(!outcome->ok());
    CHECK((*bench.backend).open(image, plan, *arena).has_value());
  }
}

}  // namespace ws
