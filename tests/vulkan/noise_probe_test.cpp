// The kernel that finds the noise of Vulkan's GPUs.
#include "runtime/evaluate/measure/noise_probe.h"

#include <cstring>

#include <doctest/doctest.h>

#include "runtime/evaluate/prepared.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

TEST_SUITE("tools.vulkan.noise") {
  TEST_CASE("a device that takes shaders only runs the probe in HLSL") {
    if (!lavapipe_is_here()) {
      return;
    }
    const auto device = shader_tools().services().device("vulkan:0");
    REQUIRE_MESSAGE(device.has_value(), to_text(device.error()));
    Backend& backend = *(*device)->backend;
    const Problem problem = noise_problem().value();
    const Kernel probe = noise_probe(backend.info().value(), problem).value();
    CHECK(probe.language == "hlsl");
    const Workload workload{{{"n", 1000}, {"r", 2}}, {}};
    const auto compiled = compile_for(backend, problem, probe, workload, {}, {}, {});
    REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
    REQUIRE_MESSAGE(compiled->ok(), compiled->message);
    const auto prepared = prepare(backend, *compiled, RunAs::kCandidate);
    REQUIRE_MESSAGE(prepared.has_value(), to_text(prepared.error()));
    const float four = 4;
    std::memcpy(prepared->arena->buffer(0).data() + 999 * sizeof four, &four, sizeof four);
    const auto run = prepared->session->run(1, std::chrono::seconds(30), {});
    REQUIRE_MESSAGE(run.has_value(), to_text(run.error()));
    CHECK(run->ok());
    float last = 0;
    std::memcpy(&last, prepared->arena->buffer(1).data() + 999 * sizeof last, sizeof last);
    CHECK(last == 2.5F);  // 4 / 2 + 1, and once more.
  }
}

}  // namespace ws::test
