// Memory of blocks that live at the same time: all that are to live have some, and a plan needs no
// more than its hungriest step does.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "runtime/device/live_blocks.h"
#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// Each thread calls a function that was not inlined, so that its stack takes 132 KiB.
const std::string kHungry = R"(
#include <cooperative_groups.h>
__device__ int sum(int n, int* x) { return n < 2 ? x[0] + n : sum(n - 1, x) + sum(n - 2, x); }
__global__ void k(int* x, int* y) {
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  y[me] = sum(threadIdx.x % 3, x);
  if (cooperative_groups::this_grid().is_valid()) {
    cooperative_groups::this_grid().sync();
  } else {
    __syncthreads();
    if (threadIdx.x == 0) {
      int group = x[2] == 0 ? gridDim.x : x[2];
      atomicAdd(&x[1], 1);
      while (*(volatile int*)&x[1] < (blockIdx.x / group + 1) * group) { }
    }
    __syncthreads();
  }
  x[8 + me] = y[gridDim.x * blockDim.x - 1 - me];
})";

/// Each thread has 32 KiB of local memory.
const std::string kLocal = R"(
#include <cooperative_groups.h>
__global__ void k(int* x, int* y) {
  volatile int own[8192];
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  own[me % 8192] = me;
  if (cooperative_groups::this_grid().is_valid()) cooperative_groups::this_grid().sync();
  y[me] = own[me % 8192] + 1;
})";

EngineRun run_of(const std::string& source, std::int64_t blocks, std::int64_t threads) {
  EngineRun run;
  run.source = source;
  run.entry = "k";
  run.build = Build::kFast;
  run.grid = {blocks, 1, 1};
  run.block = {threads, 1, 1};
  run.cooperative = true;
  run.limit = std::chrono::seconds(30);
  run.buffers = {buffer_of("x", DType::kI32, blocks * threads + 8),
                 buffer_of("y", DType::kI32, blocks * threads + 8)};
  return run;
}

}  // namespace

TEST_SUITE("device.cpu.grid") {
  TEST_CASE("all blocks for which there is memory live at the same time") {
    EngineRun run = run_of(kHungry, 1, 1024);
    const EngineResult one = run_engine(run);
    const std::uint64_t room =
        kMostLiveBytes / live_block_bytes(one.compiled->image.entries.at(0), 1024, 0);
    REQUIRE(room >= 3);
    for (const bool cooperative : {true, false}) {
      // An odd number: OS threads, of which there is often an even one, cannot share it evenly.
      run = run_of(kHungry, static_cast<std::int64_t>(room - (room + 1) % 2), 1024);
      run.cooperative = cooperative;
      const EngineResult result = run_engine(run);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      CHECK(result.buffer<int>(0)[8 + 1] == 1);
    }
  }

  TEST_CASE("blocks for which there was no room run when all others end at the same time") {
    EngineRun run = run_of(kHungry, 1, 1024);
    const EngineResult one = run_engine(run);
    const std::uint64_t room =
        kMostLiveBytes / live_block_bytes(one.compiled->image.entries.at(0), 1024, 0);
    run = run_of(kHungry, static_cast<std::int64_t>(2 * room), 1024);
    run.cooperative = false;
    const EngineResult result = run_engine(
        run, [room](EngineResult& made) { made.buffer<int>(0)[2] = static_cast<int>(room); });
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(0)[1] == static_cast<int>(2 * room));
  }

  TEST_CASE("a small cooperative step and a large ordinary one have room in one plan") {
    const EngineResult made = run_engine(run_of(kLocal, 3000, 1));
    REQUIRE_MESSAGE(made.outcome.ok(), made.fault().message);
    ResolvedPlan plan = made.plan;
    LaunchStep large = plan.steps[0];
    large.cooperative = false;
    large.grid = {2, 1, 1};
    large.block = {1024, 1, 1};
    plan.steps.push_back(large);
    const auto bound = bind_plan(plan, made.compiled->image, *made.arena);
    REQUIRE(bound.has_value());
    auto session = cpu_engine().open(made.compiled->image, *bound, made.arena);
    REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
    const auto outcome = (*session)->run_as({}, 1, std::chrono::seconds(30), {});
    REQUIRE(outcome.has_value());
    CHECK(outcome->ok());
    CHECK(made.buffer<int>(1)[2047] == 2048);
    CHECK(made.buffer<int>(1)[2999] == 3000);
  }
}

}  // namespace ws::test
