#include "runtime/device/driver_fault.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("device.vulkan.faults") {
  TEST_CASE("each error of a driver of Vulkan has its verdict and its words") {
    struct Row {
      std::uint32_t code;
      Verdict verdict;
      const char* message;
    };

    constexpr Row kRows[] = {
        {1, Verdict::kResourceLimit,
         "launches[0] (`k`): the Vulkan driver has no memory left on the host (Vulkan error -1)"},
        {2, Verdict::kResourceLimit,
         "launches[0] (`k`): the device has no memory left for the launch (Vulkan error -2)"},
        {4, Verdict::kRuntimeError,
         "launches[0] (`k`): the device was lost: the shader crashed it, or ran for too long "
         "(Vulkan "
         "error -4)"},
        {13, Verdict::kRuntimeError,
         "launches[0] (`k`): the driver reported an error (Vulkan error -13)"},
        {kEndlessCompile, Verdict::kTimeout,
         "the driver did not compile the shader within 20 s: large local arrays and whole unrolled "
         "loops take long"},
        {kEndlessLoop, Verdict::kTimeout,
         "a thread was in the loop at source:7 after 65,535 turns of all its loops, where lavapipe "
         "ends them: the loop never ends, or the thread has too much to do for this device"},
    };
    Image image;
    image.sites = {Site{"source", 7, 3}};
    ResolvedPlan plan;
    plan.steps.emplace_back().entry = "k";
    for (const Row& row : kRows) {
      RunOutcome outcome;
      outcome.reply.status = RunStatus::kDriverError;
      outcome.reply.detail = kVulkanCode | row.code;
      outcome.reply.site = 0;
      outcome.reply.step = 0;
      Fault fault;
      describe_driver_fault(fault, outcome, image, plan);
      CHECK(fault.verdict == row.verdict);
      CHECK(fault.message == row.message);
    }
  }
}

}  // namespace ws
