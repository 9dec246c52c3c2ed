// Updates that blocks lose to each other: in a launch in random order a block is held between a
// read and the write that follows from it, while others run.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr int kBlocks = 24;

/// x[0] after `body` was run by 24 blocks of 40 threads.
int first_after(const std::string& body, RunOrder order) {
  const EngineResult result =
      run_engine({.source = "__global__ void k(int* x) {\n  __shared__ int s;\n  int t = "
                            "threadIdx.x, b = blockIdx.x;\n" +
                            body + "\n}",
                  .entry = "k",
                  .grid = {kBlocks, 1, 1},
                  .block = {40, 1, 1},
                  .buffers = {buffer_of("x", DType::kI32, 64 + 64 * kBlocks)},
                  .mode = {.order = order}});
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  return result.buffer<int>(0)[0];
}

struct Case {
  const char* name;
  const char* body;
  int want;
};

constexpr Case kLosing[] = {
    {"a count of blocks", "  if (t == 0) x[0] += 1;", kBlocks},
    {"a sum behind a reduction",
     "  s = 0;\n  __syncthreads();\n  atomicAdd(&s, 1);\n  __syncthreads();\n"
     "  if (t == 0) x[0] = x[0] + s;",
     40 * kBlocks},
    {"a count of blocks by two atomics",
     "  if (t == 0) { int o = atomicAdd(&x[0], 0); atomicExch(&x[0], o + 1); }", kBlocks},
    {"a word that is taken and put back",
     "  if (t == 0) { int o = atomicExch(&x[0], -1); if (o >= 0) atomicExch(&x[0], o + 1); }",
     kBlocks},
    {"a count of blocks with an array of its own",
     "  volatile int w[4] = {1, 1, 1, 1};\n  if (t == 0) x[0] += w[b % 4];", kBlocks},
    {"a swap that is not tried again",
     "  if (t == 0) { int o = x[0]; atomicCAS(&x[0], o, o + 1); }", kBlocks},
};

constexpr Case kKeeping[] = {
    {"a count by atomics", "  if (t == 0) atomicAdd(&x[0], 1);", kBlocks},
    {"words of each block", "  x[64 * b + t] += 1;\n  __syncthreads();\n  x[64 * b + t] += 1;", 2},
    {"shared memory of each block",
     "  if (t == 0) s = b;\n  __syncthreads();\n  if (t == 3) s = s + 1;\n  __syncthreads();\n"
     "  if (t == 39) { int* mine = &x[64 + b]; *mine = *mine + s - b; atomicAdd(&x[0], *mine); }",
     kBlocks},
    {"the last block",
     "  if (t == 0) {\n    x[64 + b] = x[64 + b] + 1;\n    __threadfence();\n"
     "    if (atomicAdd(&x[1], 1) == 23) for (int i = 0; i < 24; ++i) x[0] += x[64 + i];\n  }",
     kBlocks},
    {"a swap that is tried again",
     "  if (t == 0) {\n    int o = x[0], seen;\n"
     "    while ((seen = atomicCAS(&x[0], o, o + 1)) != o) o = seen;\n  }",
     kBlocks},
    {"a lock whose word counts how often it was taken",
     "  if (t == 0) {\n    int o = 0;\n    for (;;) {\n"
     "      int seen = atomicCAS(&x[1], o & ~1, (o & ~1) + 1);\n"
     "      if (seen == (o & ~1)) break;\n      o = seen;\n    }\n    x[0] = x[0] + 1;\n"
     "    __threadfence();\n    atomicExch(&x[1], (o & ~1) + 2);\n  }",
     kBlocks},
    {"a lock",
     "  if (t == 0) {\n    while (atomicCAS(&x[1], 0, 1) != 0) { }\n    x[0] = x[0] + 1;\n"
     "    __threadfence();\n    atomicExch(&x[1], 0);\n  }",
     kBlocks},
};

}  // namespace

TEST_SUITE("device.cpu.nested_blocks") {
  TEST_CASE("an update that other blocks may lose is lost in random order") {
    for (const Case& c : kLosing) {
      CAPTURE(std::string(c.name));
      CHECK(first_after(c.body, RunOrder::kRandom) < c.want);
    }
  }

  TEST_CASE("a kernel whose blocks lose nothing stays right") {
    for (const Case& c : kKeeping) {
      for (const RunOrder order : {RunOrder::kAscending, RunOrder::kRandom}) {
        CAPTURE(std::string(c.name));
        CHECK(first_after(c.body, order) == c.want);
      }
    }
  }

  TEST_CASE("a fault in a block that runs while one is held names its own place") {
    const EngineResult result =
        run_engine({.source = "__global__ void k(int* x) {\n  if (threadIdx.x == 3) x[0] += 1;\n"
                              "  if (x[0] == 0) return;\n  x[64 + blockIdx.x] = 1;\n}",
                    .entry = "k",
                    .grid = {2, 1, 1},
                    .block = {32, 1, 1},
                    .buffers = {buffer_of("x", DType::kI32, 65)},
                    .mode = {.order = RunOrder::kRandom}});
    REQUIRE_FALSE(result.outcome.ok());
    const Fault fault = result.fault();
    CHECK(fault.kind == "write_out_of_bounds");
    CHECK(fault.line == 4);
    CHECK(fault.index == 65);
    REQUIRE(fault.block);
    CHECK(*fault.block == std::array<std::uint32_t, 3>{1, 0, 0});
  }
}

}  // namespace ws::test
