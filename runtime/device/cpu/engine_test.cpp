// The whole engine: text -> clang -> our passes -> a sandboxed worker -> results.
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

using ws::Build;
using ws::DType;
using ws::test::buffer_of;
using ws::test::EngineResult;
using ws::test::EngineRun;
using ws::test::run_engine;

TEST_SUITE("device.cpu.engine") {
  constexpr const char* kVadd = R"(
__global__ void vadd(const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1000) c[i] = a[i] + b[i];
}
)";

  constexpr const char* kTiled = R"(
template <int T> __global__ void mm(const float* A, const float* B, float* C) {
  __shared__ float As[T][T], Bs[T][T];
  const int n = 64;
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float acc = 0;
  for (int k = 0; k < n; k += T) {
    As[ty][tx] = A[row * n + k + tx];
    Bs[ty][tx] = B[(k + ty) * n + col];
    __syncthreads();
    for (int j = 0; j < T; j++) acc += As[ty][j] * Bs[j][tx];
    __syncthreads();
  }
  C[row * n + col] = acc;
}
)";

  TEST_CASE("vector addition gives the sums in both builds") {
    for (const Build build : {Build::kFast, Build::kBounds}) {
      const EngineResult result = run_engine(
          {.source = kVadd,
           .entry = "vadd",
           .build = build,
           .grid = {4, 1, 1},
           .block = {256, 1, 1},
           .buffers = {buffer_of("a", DType::kF32, 1000), buffer_of("b", DType::kF32, 1000),
                       buffer_of("c", DType::kF32, 1000)}},
          [](EngineResult& r) {
            std::iota(r.buffer<float>(0).begin(), r.buffer<float>(0).end(), 0.0F);
            std::iota(r.buffer<float>(1).begin(), r.buffer<float>(1).end(), 5.0F);
          });
      REQUIRE(result.outcome.ok());
      for (int i = 0; i < 1000; ++i) {
        REQUIRE(result.buffer<float>(2)[static_cast<std::size_t>(i)] ==
                static_cast<float>(2 * i + 5));
      }
    }
  }

  TEST_CASE("a tiled product with barriers is right in both builds and both tile sizes") {
    for (const Build build : {Build::kFast, Build::kBounds}) {
      for (const int tile : {16, 32}) {
        CAPTURE(tile);
        const EngineResult result = run_engine(
            {.source = kTiled,
             .entry = "mm<" + std::to_string(tile) + ">",
             .build = build,
             .grid = {64 / tile, 64 / tile, 1},
             .block = {tile, tile, 1},
             .buffers = {buffer_of("A", DType::kF32, 4096), buffer_of("B", DType::kF32, 4096),
                         buffer_of("C", DType::kF32, 4096)}},
            [](EngineResult& r) {
              for (std::size_t i = 0; i < 4096; ++i) {
                r.buffer<float>(0)[i] = static_cast<float>(i % 7) - 3;
                r.buffer<float>(1)[i] = static_cast<float>(i % 5) - 2;
              }
            });
        REQUIRE(result.outcome.ok());
        for (std::size_t row = 0; row < 64; ++row) {
          for (std::size_t col = 0; col < 64; ++col) {
            float want = 0;
            for (std::size_t k = 0; k < 64; ++k) {
              want += result.buffer<float>(0)[row * 64 + k] * result.buffer<float>(1)[k * 64 + col];
            }
            REQUIRE(result.buffer<float>(2)[row * 64 + col] == want);
          }
        }
      }
    }
  }

  struct FaultCase {
    const char* name;
    const char* source;
    const char* message;
  };

  // One block of 64 threads over int x[100].
  constexpr FaultCase kFaults[] = {
      {"write beyond the end", "__global__ void k(int* x) {\n  x[threadIdx.x + 60] = 1;\n}",
       "out-of-bounds write of 4 bytes at source:2 by thread (40,0,0) of block (0,0,0): x[100], "
       "but "
       "it has 100 elements"},
      {"read before the start",
       "__global__ void k(int* x) {\n  if (threadIdx.x == 3) x[1] = x[(int)threadIdx.x - 5];\n}",
       "out-of-bounds read of 4 bytes at source:2 by thread (3,0,0) of block (0,0,0): x[-2], but "
       "it "
       "has 100 elements"},
      {"shared variable",
       "__global__ void k(int* x) {\n  __shared__ int s[32];\n  s[threadIdx.x] = 1;\n"
       "  __syncthreads();\n  x[0] = s[5];\n}",
       "out-of-bounds write of 4 bytes at source:3 by thread (32,0,0) of block (0,0,0): s[32], but "
       "it has 32 elements"},
      {"division by zero", "__global__ void k(int* x) {\n  x[1] = 7 / x[0];\n}",
       "integer division by zero at source:2 by thread (0,0,0) of block (0,0,0)"},
      {"barrier in both branches",
       "__global__ void k(int* x) {\n  if (threadIdx.x < 20) {\n    __syncthreads();\n  } else {\n"
       "    __syncthreads();\n  }\n  x[threadIdx.x] = 1;\n}",
       "20 threads wait at source:3, 44 at source:5: all threads of a block must reach the same "
       "barrier"},
      {"shuffle against barrier",
       "__global__ void k(int* x) {\n  int v = 0;\n  if (threadIdx.x == 0) v = __shfl_sync(~0u, v, "
       "1);\n  else __syncthreads();\n  x[threadIdx.x] = v;\n}",
       "1 threads wait at source:3, 63 at source:4: none of them can go on"},
      {"endless recursion",
       "__device__ int f(int* x, int n) {\n  x[n & 7] = n; return f(x, n + 1) + f(x, n + "
       "2);\n}\n"
       "__global__ void k(int* x) {\n  x[0] = f(x, 1);\n}",
       "a thread ran out of stack at source:2 by thread (0,0,0) of block (0,0,0): endless "
       "recursion, or local arrays beyond 128 KiB"},
      {"failed assertion",
       "__global__ void k(int* x) {\n  assert(threadIdx.x < 9);\n  x[0] = 1;\n}",
       "an assertion failed at source:2 by thread (9,0,0) of block (0,0,0)"},
      {"endless loop",
       "__global__ void k(int* x) {\n  volatile int* p = x;\n"
       "  while (threadIdx.x == 5 && p[0] == 0) {\n  }\n}",
       "the kernel ran past its limit of 300 ms; it was at source:3 by thread (5,0,0) of block "
       "(0,0,0)"},
  };

  TEST_CASE("a kernel that goes wrong is reported with its place, thread and block") {
    for (const FaultCase& c : kFaults) {
      CAPTURE(std::string(c.name));
      const EngineResult result = run_engine({.source = c.source,
                                              .entry = "k",
                                              .block = {64, 1, 1},
                                              .buffers = {buffer_of("x", DType::kI32, 100)},
                                              .limit = std::chrono::milliseconds(300)});
      REQUIRE_FALSE(result.outcome.ok());
      CHECK(result.fault().message == c.message);
    }
  }

  TEST_CASE("of several blocks that go wrong the first one is reported, however late it is") {
    const EngineResult result = run_engine(
        {.source = "__global__ void k(int* x) {\n"
                   "  if (blockIdx.x == 0) for (volatile int i = 0; i < 4000000; i = i + 1) {}\n"
                   "  x[100 + blockIdx.x] = 1;\n}",
         .entry = "k",
         .grid = {8, 1, 1},
         .buffers = {buffer_of("x", DType::kI32, 100)}});
    REQUIRE_FALSE(result.outcome.ok());
    CHECK(result.fault().message ==
          "out-of-bounds write of 4 bytes at source:3 by thread (0,0,0) of block (0,0,0): x[100], "
          "but it has 100 elements");
  }

  struct IntCase {
    const char* name;
    const char* body;
    int threads;
    std::vector<int> want;  // x[0], x[1], ...
  };

  TEST_CASE("what CUDA offers to a thread works on the engine") {
    const IntCase cases[] = {
        {"early return before a barrier",
         "if (threadIdx.x >= 40) return; __shared__ int s; if (threadIdx.x == 0) s = 7; "
         "__syncthreads(); x[threadIdx.x % 2] = s;",
         64,
         {7, 7}},
        {"partial last warp",
         "int v = threadIdx.x; for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, "
         "v, o); if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v; ",
         32,
         {496}},
        {"ballot of 40 threads",
         "unsigned b = __ballot_sync(0xffffffffu, threadIdx.x % 2); if (threadIdx.x % 32 == 0) "
         "x[threadIdx.x / 32] = (int)b;",
         40,
         {static_cast<int>(0xaaaaaaaaU), 0xaa}},
        {"count of true predicates", "x[0] = __syncthreads_count(threadIdx.x < 11);", 48, {11}},
        {"dynamic shared memory",
         "extern __shared__ int d[]; d[threadIdx.x] = threadIdx.x; __syncthreads(); "
         "x[threadIdx.x % 4] = d[(threadIdx.x % 4) + 4];",
         16,
         {4, 5, 6, 7}},
        {"atomics", "atomicAdd(&x[0], 2); atomicMax(&x[1], (int)threadIdx.x);", 50, {100, 49}},
        {"recursion with ids",
         "struct R { static __device__ int f(int n) { return n == 0 ? (int)threadIdx.x : f(n - 1) "
         "+ 1; } }; if (threadIdx.x < 2) x[threadIdx.x] = R::f((int)blockDim.x);",
         5,
         {5, 6}},
        {"a value from another lane",
         "x[threadIdx.x] = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);",
         32,
         {1, 0, 3, 2}},
    };
    for (const IntCase& c : cases) {
      for (const Build build : {Build::kFast, Build::kBounds}) {
        CAPTURE(std::string(c.name));
        const EngineResult result =
            run_engine({.source = std::string("__global__ void k(int* x) { ") + c.body + " }",
                        .entry = "k",
                        .build = build,
                        .block = {c.threads, 1, 1},
                        .shared_bytes = 64,
                        .buffers = {buffer_of("x", DType::kI32, 64)}});
        REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
        for (std::size_t i = 0; i < c.want.size(); ++i) {
          CHECK(result.buffer<int>(0)[i] == c.want[i]);
        }
      }
    }
  }

  TEST_CASE("three-dimensional indices reach every thread once") {
    const EngineResult result = run_engine(
        {.source = "__global__ void k(int* x) { int t = threadIdx.x + blockDim.x * (threadIdx.y + "
                   "blockDim.y * threadIdx.z); int b = blockIdx.x + gridDim.x * (blockIdx.y + "
                   "gridDim.y * blockIdx.z); atomicAdd(&x[b * 24 + t], 1); }",
         .entry = "k",
         .grid = {3, 2, 2},
         .block = {4, 3, 2},
         .buffers = {buffer_of("x", DType::kI32, 288)}});
    REQUIRE(result.outcome.ok());
    for (const int count : result.buffer<int>(0)) {
      REQUIRE(count == 1);
    }
  }

  TEST_CASE("a kernel without arguments may ask for its block first") {
    for (const Build build : {Build::kFast, Build::kBounds}) {
      const EngineResult result =
          run_engine({.source = "#include <assert.h>\n__global__ void k() {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  assert(i < 12);\n}",
                      .entry = "k",
                      .build = build,
                      .grid = {2, 1, 1},
                      .block = {8, 1, 1}});
      REQUIRE_FALSE(result.outcome.ok());
      CHECK(result.fault().message ==
            "an assertion failed at source:4 by thread (4,0,0) of block (1,0,0)");
    }
  }

  TEST_CASE("device variables are initialised at each launch and can be filled") {
    const EngineResult result =
        run_engine({.source = "__device__ int counter = 5; __constant__ int table[4];\n"
                              "__global__ void k(int* x, int* t) { x[0] = counter++; x[1] = "
                              "table[2]; }",
                    .entry = "k",
                    .buffers = {buffer_of("x", DType::kI32, 4), buffer_of("t", DType::kI32, 4)},
                    .symbols = {{"table", 1}}},
                   [](EngineResult& r) { r.buffer<int>(1)[2] = 42; });
    REQUIRE(result.outcome.ok());
    CHECK(result.buffer<int>(0)[0] == 5);
    CHECK(result.buffer<int>(0)[1] == 42);
  }
}
