// Blocks that live at the same time: barriers of the whole grid in a cooperative launch, and blocks
// that wait for words which other blocks write.
#include <array>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "runtime/device/live_blocks.h"
#include "runtime/device/plan_limits.h"
#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr const char* kGroups =
    "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";

EngineRun run_of(const std::string& source, std::array<std::int64_t, 3> grid, int threads) {
  EngineRun run;
  run.source = source;
  run.entry = "k";
  run.grid = grid;
  run.block = {threads, 1, 1};
  run.cooperative = true;
  run.buffers = {buffer_of("x", DType::kI32, grid[0] * grid[1] * grid[2] * threads + 8),
                 buffer_of("y", DType::kI32, grid[0] * grid[1] * grid[2] * threads + 8)};
  run.limit = std::chrono::seconds(30);
  return run;
}

/// Each thread passes its number on to the next one in the grid, three times.
const std::string kRing = std::string(kGroups) +
                          R"(__global__ void k(int* x, int* y) {
  cg::grid_group grid = cg::this_grid();
  int n = grid.size(), me = grid.thread_rank();
  x[me] = me;
  grid.sync();
  for (int round = 0; round < 3; ++round) {
    y[(me + 1) % n] = x[me];
    grid.sync();
    x[me] = y[me] + grid.is_valid();
    cg::sync(grid);
  }
})";

void check_ring(EngineRun run) {
  const EngineResult result = run_engine(run);
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const int count = static_cast<int>(run.buffers[0].elements) - 8;
  const auto x = result.buffer<int>(0);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += x[static_cast<std::size_t>(i)] == (i - 3 + count) % count + 3 ? 0 : 1;
  }
  CHECK(wrong == 0);
}

std::string message_of(const EngineRun& run) {
  const EngineResult result = run_engine(run);
  REQUIRE_FALSE(result.outcome.ok());
  return result.fault().message;
}

/// A grid's barrier as it is made by hand: a count of blocks, and a look at it until all are there.
const std::string kOwnBarrier = R"(__device__ void meet(int* count, int goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (*(volatile int*)count < goal) { }
    __threadfence();
  }
  __syncthreads();
}
__global__ void k(int* x, int* y) {
  int n = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
  y[me] = me + 1;
  meet(&x[n], gridDim.x);
  int got = y[(me + 1) % n];
  meet(&x[n], 2 * gridDim.x);
  x[me] = got;
})";

}  // namespace

TEST_SUITE("device.cpu.grid") {
  TEST_CASE("all threads of a cooperative launch meet at each barrier of the grid") {
    for (const std::array<std::int64_t, 3> grid :
         {std::array<std::int64_t, 3>{1, 1, 1}, {2, 1, 1}, {300, 1, 1}, {5, 3, 1}, {2, 3, 4}}) {
      CAPTURE(grid[0]);
      for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
        EngineRun run = run_of(kRing, grid, 40);
        run.build = build;
        check_ring(run);
      }
    }
  }

  TEST_CASE("a cooperative launch gives the same in other orders of its blocks and threads") {
    for (const RunOrder order : {RunOrder::kDescending, RunOrder::kRandom}) {
      EngineRun run = run_of(kRing, {33, 1, 1}, 64);
      run.mode = {.order = order};
      check_ring(run);
    }
  }

  TEST_CASE("many blocks of the largest size live at the same time") {
    EngineRun run = run_of(kRing, {132, 1, 1}, 1024);
    run.build = Build::kFast;
    check_ring(run);
  }

  TEST_CASE("a barrier of the grid that not all threads reach is a finding") {
    struct Case {
      const char* name;
      const char* body;
      const char* message;
    };

    constexpr Case kCases[] = {
        {"a thread of each block has ended",
         "  if (threadIdx.x == 3) return;\n  cg::this_grid().sync();\n  x[0] = 1;",
         "39 threads of block (0,0,0) wait for the whole grid at source:5, and 1 threads of the "
         "block have ended: all threads of the grid must reach the same number of its barriers"},
        {"a block has ended",
         "  if (blockIdx.x == 1) return;\n  cg::this_grid().sync();\n  x[0] = 1;",
         "40 threads of block (0,0,0) wait for the whole grid at source:5, and 1 blocks have "
         "ended: all threads of the grid must reach the same number of its barriers"},
        {"a block waits once more than the other",
         "  cg::this_grid().sync();\n  if (blockIdx.x == 0)\n    cg::this_grid().sync();\n"
         "  x[0] = 1;",
         "40 threads of block (0,0,0) wait for the whole grid at source:6, and 1 blocks have "
         "ended: all threads of the grid must reach the same number of its barriers"},
        {"some threads wait for their block only",
         "  if (threadIdx.x < 8)\n    __syncthreads();\n  else\n    cg::this_grid().sync();\n"
         "  x[0] = 1;",
         "8 threads wait at source:5, 32 at source:7: all threads of a block must reach the same "
         "barrier"},
    };
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      const EngineRun run =
          run_of(std::string(kGroups) + "__global__ void k(int* x, int* y) {\n" + c.body + "\n}",
                 {2, 1, 1}, 40);
      CHECK(message_of(run) == std::string(c.message));
    }
  }

  TEST_CASE("a barrier of the grid needs a cooperative launch") {
    EngineRun run = run_of(std::string(kGroups) +
                               "__global__ void k(int* x, int* y) {\n  x[0] = "
                               "cg::this_grid().is_valid();\n  cg::this_grid().sync();\n}",
                           {2, 1, 1}, 32);
    run.cooperative = false;
    CHECK(message_of(run) ==
          "a barrier of the whole grid at source:5 by thread (0,0,0) of block (0,0,0), but the "
          "launch is not cooperative: give it `\"cooperative\": true`");
  }

  TEST_CASE("a cooperative launch of more blocks than there is memory for is over the limit") {
    const EngineResult result = run_engine(run_of(kRing, {2, 1, 1}, 64));
    ResolvedPlan plan = result.plan;
    DeviceLimits limits;
    limits.max_live_bytes = kMostLiveBytes;
    CHECK(over_limit(plan, result.compiled->image, limits).empty());
    plan.steps[0].grid = {1 << 20, 1, 1};
    const std::uint64_t room =
        kMostLiveBytes / live_block_bytes(result.compiled->image.entries[0], 64, 0);
    CHECK(over_limit(plan, result.compiled->image, limits) ==
          "launches[0]: all 1048576 blocks of a cooperative launch of `k` run at the same time, "
          "and the device has memory for " +
              std::to_string(room) + " of them (1024 MiB; each of its 64 threads needs a stack)");
    plan.steps[0].cooperative = false;
    CHECK(over_limit(plan, result.compiled->image, limits).empty());
  }

  TEST_CASE("a barrier of the grid made by hand ends, in a cooperative launch and in others") {
    for (const bool cooperative : {true, false}) {
      for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
        for (const int blocks : {2, 9, 64}) {
          CAPTURE(cooperative);
          CAPTURE(blocks);
          EngineRun run = run_of(kOwnBarrier, {blocks, 1, 1}, 40);
          run.build = build;
          run.cooperative = cooperative;
          const EngineResult result = run_engine(run);
          REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
          const int count = blocks * 40;
          CHECK(result.buffer<int>(0)[0] == 2);
          CHECK(result.buffer<int>(0)[static_cast<std::size_t>(count - 1)] == 1);
        }
      }
    }
  }

  TEST_CASE("blocks that wait for later blocks let them run, in every order") {
    const std::string source =
        "__global__ void k(volatile int* x, int* y) {\n  int b = blockIdx.x;\n"
        "  if (threadIdx.x == 0) {\n"
        "    if (b + 1 < gridDim.x) while (x[b + 1] == 0) { }\n"
        "    x[b] = b + 1 < gridDim.x ? x[b + 1] + 1 : 1;\n  }\n}";
    for (const RunOrder order : {RunOrder::kAscending, RunOrder::kDescending, RunOrder::kRandom}) {
      EngineRun run = run_of(source, {200, 1, 1}, 4);
      run.cooperative = false;
      run.mode = {.order = order};
      const EngineResult result = run_engine(run);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      CHECK(result.buffer<int>(0)[0] == 200);
    }
  }

  TEST_CASE("races are looked for where the watched blocks have room") {
    EngineRun run = run_of(kRing, {2, 1, 1}, 64);
    run.build = Build::kWatched;
    const EngineResult result = run_engine(run);
    CHECK(result.records.empty());
    const Image& image = result.compiled->image;
    auto plan = bind_plan(result.plan, image, *result.arena);
    REQUIRE(plan.has_value());
    plan->steps[0].grid = {1 << 20, 1, 1};
    const auto records = dynamic_cast<Sanitizes&>(cpu_engine())
                             .sanitize(image, *plan, result.arena, SanitizerTool::kEngine,
                                       std::chrono::seconds(1), {});
    REQUIRE_FALSE(records.has_value());
    const std::uint64_t room = kMostLiveBytes / live_block_bytes(image.entries[0], 64, 0, 16384);
    CHECK(room > 500);
    CHECK(records.error().message == "the CPU engine has memory to look for races in " +
                                         std::to_string(room) +
                                         " blocks of a cooperative launch of `k`, which has "
                                         "1048576");
  }

  TEST_CASE("a barrier of the grid in two halves is refused where it begins") {
    const CompileOutcome outcome = compiled_source(
        "#include <cooperative_groups.h>\n__global__ void k(int* x) {\n"
        "  auto grid = cooperative_groups::this_grid();\n"
        "  auto token = grid.barrier_arrive();\n  x[0] = 1;\n"
        "  grid.barrier_wait(static_cast<decltype(token)&&>(token));\n}");
    CHECK(outcome.verdict == CompileVerdict::kUnsupported);
    CHECK(outcome.message ==
          "a barrier of the grid in two halves is not supported on the CPU engine: call `sync()`, "
          "which arrives and waits at once");
    REQUIRE_FALSE(outcome.diagnostics.empty());
    CHECK(outcome.diagnostics.front().line == 4);
  }
}

}  // namespace ws::test
