// The cost of a launch on our path beside a bare loop over the driver, in turns in one run.
#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/bench/statistics.h"
#include "runtime/device/cuda/worker/plan_runner.h"
#include "tests/support/contract_device.h"

namespace ws::test {
namespace {

constexpr int kLaunches = 2000;
constexpr int kRounds = 15;

/// The time of one launch, in microseconds; `launch` only enqueues.
template <typename Launch>
double time_of(cuda::Context& context, const Launch& launch) {
  const auto start = Clock::now();
  for (int i = 0; i < kLaunches; ++i) {
    REQUIRE(launch().has_value());
  }
  REQUIRE(context.synchronize().has_value());
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / kLaunches;
}

}  // namespace

TEST_SUITE("gpu.launch_overhead") {
  TEST_CASE("a launch costs at most 1.05 times what it costs in a bare loop") {
    Backend* const gpu = real_gpu();
    if (gpu == nullptr) {
      MESSAGE("left out: the cost of launches (there is no GPU with a toolkit here)");
      return;
    }
    const Image image =
        compile_image(*gpu, "__global__ void nothing(int* v, int n) {}\n", {"nothing"});
    const auto opened = cuda::Driver::open("");
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    auto context = cuda::Context::attach(*opened, 0, "");
    REQUIRE_MESSAGE(context.has_value(), to_text(context.error()));
    Load load;
    load.image = image;
    load.plan.arena_bytes = 4096;
    RunStep step;
    step.block = {64, 1, 1};
    step.args = {{.pointer = true, .value = 0, .high = 4096}, {.value = 7}};
    load.plan.steps = {step};
    std::vector<std::byte> host(4096);
    auto runner = cuda::PlanRunner::create(**context, load, host);
    REQUIRE_MESSAGE(runner.has_value(), to_text(runner.error()));
    cuda::Driver& driver = (*context)->driver();
    auto module = cuda::load_module(driver, image.blob.c_str());
    REQUIRE_MESSAGE(module.has_value(), to_text(module.error()));
    auto function = cuda::find_function(driver, *module, image.entries[0].lowered.c_str());
    REQUIRE_MESSAGE(function.has_value(), to_text(function.error()));
    std::uint64_t pointer = (*runner)->mirror();
    int count = 7;
    std::array<void*, 2> arguments = {&pointer, &count};
    std::vector<double> bare;
    std::vector<double> ours;
    for (int round = 0; round < kRounds; ++round) {
      bare.push_back(time_of(**context, [&] {
        return WS_CU_CALL(driver, cuLaunchKernel, *function, 1, 1, 1, 64, 1, 1, 0,
                          (*context)->stream(), arguments.data(), nullptr);
      }));
      ours.push_back(time_of(**context, [&] { return (*runner)->launch(0); }));
    }
    const double ratio = median(ours) / median(bare);
    MESSAGE("a launch: bare " << median(bare) << " us, ours " << median(ours) << " us, ratio "
                              << ratio);
    CHECK(ratio <= 1.05);
  }
}

}  // namespace ws::test
