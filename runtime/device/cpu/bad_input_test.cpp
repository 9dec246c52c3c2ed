// Kernels that are wrong, or ask for very much: what the CPU engine says of them.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

namespace {

/// Runs a kernel over int x[64] with `threads` threads, cut into phases where it can be, or on
/// fibers.
EngineResult run_threads(const std::string& source, int threads, Build build, bool phases = true) {
  EngineRun run;
  run.source = source;
  run.entry = "k";
  run.build = build;
  run.block = {threads, 1, 1};
  run.buffers = {buffer_of("x", DType::kI32, 64)};
  run.limit = std::chrono::milliseconds(2000);
  run.phases = phases;
  return run_engine(run);
}

struct WrongCase {
  const char* name;
  const char* source;
  const char* message;
};

// One block of 64 threads.
constexpr WrongCase kWrong[] = {
    {"endless recursion between barriers",
     "__device__ int f(int* x, int n) {\n  x[n & 7] = n; return f(x, n + 1) + f(x, n + 2);\n}\n"
     "__global__ void k(int* x) {\n  x[threadIdx.x] = 1;\n  __syncthreads();\n"
     "  if (threadIdx.x == 40) x[0] = f(x, 1);\n  __syncthreads();\n  x[1] = x[0];\n}",
     "a thread ran out of stack at source:2 by thread (40,0,0) of block (0,0,0): endless "
     "recursion, "
     "or local arrays beyond 128 KiB"},
    {"a barrier in a loop that threads leave at different times, and one behind it",
     "__global__ void k(int* x) {\n  for (int i = 0; i < (int)threadIdx.x % 3; ++i) {\n"
     "    __syncthreads();\n  }\n  x[threadIdx.x] = 1;\n  __syncthreads();\n  x[0] = 2;\n}",
     "22 threads wait at source:6, 42 at source:3: all threads of a block must reach the same "
     "barrier"},
};

/// Cut into phases or on fibers: only a checked build has both.
struct Way {
  Build build;
  bool phases;
};

constexpr Way kWays[] = {{Build::kFast, true}, {Build::kBounds, true}, {Build::kBounds, false}};

}  // namespace

TEST_SUITE("device.cpu.bad_input") {
  TEST_CASE("a kernel with barriers that goes wrong is reported with its place and thread") {
    for (const WrongCase& c : kWrong) {
      for (const Way& way : kWays) {
        CAPTURE(std::string(c.name));
        const EngineResult result = run_threads(c.source, 64, way.build, way.phases);
        REQUIRE_FALSE(result.outcome.ok());
        CHECK(result.fault().message == c.message);
      }
    }
  }

  TEST_CASE("an infinite loop in one warp ends at the limit, at its line and in that warp") {
    for (const Way& way : kWays) {
      const EngineResult result = run_threads(
          "__global__ void k(int* x) {\n  volatile int* p = x;\n  if (threadIdx.x / 32 == 1) {\n"
          "    while (p[0] != 12345) {\n    }\n  }\n  __syncthreads();\n  x[1] = 1;\n}",
          64, way.build, way.phases);
      REQUIRE_FALSE(result.outcome.ok());
      const Fault fault = result.fault();
      CHECK(fault.verdict == Verdict::kTimeout);
      REQUIRE(fault.thread.has_value());
      const std::uint32_t thread = fault.thread->at(0);
      CHECK(thread >= 32);
      CHECK(fault.message ==
            "the kernel ran past its limit of 2000 ms; it was at source:4 by thread (" +
                std::to_string(thread) + ",0,0) of block (0,0,0)");
    }
  }

  TEST_CASE("functions that call themselves between barriers give what they give elsewhere") {
    for (const Build build : {Build::kFast, Build::kBounds}) {
      const EngineResult result = run_threads(
          "__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
          "__global__ void k(int* x) {\n  __shared__ int s[64];\n"
          "  s[threadIdx.x] = f(threadIdx.x % 16);\n  __syncthreads();\n"
          "  x[threadIdx.x] = s[63 - threadIdx.x] + f(5);\n}",
          64, build);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      CHECK(result.buffer<int>(0)[0] == 610 + 5);
      CHECK(result.buffer<int>(0)[63] == 0 + 5);
      CHECK(result.buffer<int>(0)[53] == 55 + 5);
    }
  }

  TEST_CASE("1024 threads have 64 KB of local arrays each, over a barrier") {
    for (const Way& way : kWays) {
      const EngineResult result = run_threads(
          "__global__ void k(int* x) {\n  volatile int a[16384];\n  int t = threadIdx.x;\n"
          "  for (int i = 0; i < 16384; i += 64) a[i + t % 64] = t + i;\n  __syncthreads();\n"
          "  int sum = 0;\n  for (int i = 0; i < 16384; i += 64) sum += a[i + t % 64] - i;\n"
          "  if (t % 16 == 5) x[t / 16] = sum;\n}",
          1024, way.build, way.phases);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      for (int i = 0; i < 64; ++i) {
        REQUIRE(result.buffer<int>(0)[static_cast<std::size_t>(i)] == 256 * (16 * i + 5));
      }
    }
  }
}

}  // namespace ws::test
