// A kernel that is cut into phases gives what it gives on fibers, in every build and order.
#include <doctest/doctest.h>

#include "runtime/device/cpu/test_phases.h"

namespace ws::test {
namespace {

const PhaseCase kCases[] = {
    {"neighbours through shared memory",
     "__shared__ int s[64]; s[t] = y[i]; __syncthreads(); x[i] = s[(t + 1) % 64] + s[t];"},
    {"some threads end before the barrier",
     "__shared__ int s[64]; s[t] = t; if (i >= n) return; __syncthreads(); x[i] = s[63 - t];",
     {64, 1, 1},
     300},
    {"threads of two dimensions beyond an edge",
     "__shared__ int s[64]; s[t] = y[i]; if (threadIdx.x >= 5 || threadIdx.y >= 3) return;\n"
     "for (int k = 0; k < n; ++k) { __syncthreads(); s[t] += k; __syncthreads(); }\n"
     "x[i] = s[(t + 8) % 16];",
     {8, 8, 1},
     7},
    {"every other thread ends",
     "__shared__ int s[64]; s[t] = y[i]; __syncthreads(); if (t % 2 == 1) return;\n"
     "s[t] += s[t + 1]; __syncthreads(); x[i] = s[(t + 2) % 64];"},
    {"a loop with barriers and a value that all threads share",
     "__shared__ int s[64]; int sum = 0, step = 1;\n"
     "for (int k = 0; k < n; k += step, ++step) {\n"
     "  s[t] = y[(i + k) % 4096]; __syncthreads(); sum += s[(t + k) % 64]; __syncthreads();\n}\n"
     "x[i] = sum + step;",
     {64, 1, 1},
     40},
    {"a tree of sums",
     "__shared__ int s[64]; s[t] = y[i]; __syncthreads();\n"
     "for (int h = 32; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }\n"
     "x[i] = s[0];"},
    {"a loop that is left early by all",
     "__shared__ int s[64]; int k = 0;\n"
     "for (; k < 100; ++k) { s[t] = y[k]; __syncthreads(); if (s[0] > n) break; __syncthreads(); "
     "}\n"
     "x[i] = k;",
     {64, 1, 1},
     700},
    {"barriers that count and decide",
     "int c = __syncthreads_count(y[i] % 2), a = __syncthreads_and(y[i] >= 0);\n"
     "int o = __syncthreads_or(y[i] == 999); x[i] = c * 4 + a * 2 + o;"},
    {"a local array over barriers",
     "int a[8]; for (int k = 0; k < 8; ++k) a[k] = y[i] + k;\n"
     "__syncthreads(); x[i] = a[(y[i] + t) % 8]; __syncthreads(); x[i] += a[t % 8];"},
    {"bits, bytes, doubles and pointers over barriers",
     "bool b = y[i] % 3 == 0; char c = y[i]; double d = y[i] * 0.5; const int* p = y + (i ^ 1);\n"
     "__syncthreads(); x[i] = (b ? 1 : 2) + c + (int)d + *p; __syncthreads(); x[i] += b;"},
    {"three dimensions",
     "__shared__ int s[120]; s[t] = y[i]; __syncthreads();\n"
     "x[i] = s[(threadIdx.x * 5 + threadIdx.y) % 120] + threadIdx.z;",
     {4, 5, 6}},
    {"elements that neighbours share out",
     "__shared__ int s[64]; int sum = 0;\n"
     "for (int k = t; k < n; k += threads) sum += y[k];\n"
     "s[t] = sum; __syncthreads(); x[i] = s[(t + 1) % 64];\n"
     "for (int k = threadIdx.x; k < n; k += blockDim.x) x[i] += y[k] * 3;\n"
     "__syncthreads(); for (int k = threadIdx.x; k < n; k += 64) x[i] ^= k;"},
    {"elements that less than a block's threads share out",
     "int sum = 0; for (int k = threadIdx.x; k < n; k += blockDim.x) sum += y[k];\n"
     "for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);\n"
     "x[i] = sum; for (int k = threadIdx.x; k < n; k += blockDim.x) x[i] += y[k + 1];",
     {64, 1, 1},
     45},
    {"shared out elements in a branch of some threads",
     "__shared__ int s[64]; s[t] = 0; __syncthreads();\n"
     "if (t < 32) { for (int k = threadIdx.x; k < n; k += 32) s[t] += y[k]; }\n"
     "__syncthreads(); x[i] = s[t / 2]; __syncthreads();\n"
     "if (t % 3 == 0) { for (int k = threadIdx.x; k < n; k += 64) s[t] += y[k]; }\n"
     "__syncthreads(); x[i] += s[t];"},
    {"a warp's sum",
     "int v = y[i]; for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o); x[i] = v;"},
    {"shuffles up, down and by index",
     "int v = y[i]; int u = __shfl_up_sync(~0u, v, 3), d = __shfl_down_sync(~0u, v, n % 7);\n"
     "x[i] = u * 3 + d * 5 + __shfl_sync(~0u, v, y[t] % 32) + __shfl_sync(~0u, v, 40);"},
    {"shuffles of 64 bits and of parts of a warp",
     "long long v = y[i]; v = __shfl_xor_sync(~0u, v << 33, 5) >> 33;\n"
     "int u = __shfl_down_sync(~0u, (int)v, 2, 8); x[i] = u + __shfl_sync(~0u, u, 1, 16);"},
    {"shuffles of a warp that is not full",
     "int v = y[i]; unsigned m = t < 32 ? ~0u : 0xffu;\n"
     "for (int o = 4; o > 0; o /= 2) v += __shfl_down_sync(m, v, o, 8);\n"
     "x[i] = v + __popc(__ballot_sync(m, v % 2)) + (__any_sync(m, v == 5) ? 1 : 0);",
     {40, 1, 1}},
    {"shuffles in a block of two dimensions",
     "int v = y[i]; for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);\n"
     "__shared__ int s[8]; if (t % 32 == 0) s[t / 32] = v; __syncthreads(); x[i] = s[t / 64] + v;",
     {16, 16, 1}},
    {"the sum of a block by warps",
     "__shared__ int s[32]; int v = y[i];\n"
     "for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);\n"
     "if (t % 32 == 0) s[t / 32] = v; __syncthreads();\n"
     "if (t < 32) { v = t < threads / 32 ? s[t] : 0;\n"
     "  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);\n"
     "  if (t == 0) s[0] = v; }\n"
     "__syncthreads(); x[i] = s[0];",
     {256, 1, 1}},
    {"warps that go different ways",
     "int v = y[i]; if (t / 32 % 2 == 0) v = __reduce_add_sync(~0u, v);\n"
     "else { v = __shfl_xor_sync(~0u, v, 1); __syncwarp(); v += __match_any_sync(~0u, v % 4); }\n"
     "__syncthreads(); x[i] = v;",
     {128, 1, 1}},
    {"half a warp at a time",
     "int v = y[i]; if (t % 32 < 16) v += __shfl_xor_sync(0xffffu, v, 1);\n"
     "else v -= __shfl_xor_sync(0xffff0000u, v, 2); x[i] = v;"},
    {"lanes that take different numbers of rounds",
     "int v = y[i], sum = 0; for (int k = t % 32; k < n; k += 32) sum += y[k] * (k + 1);\n"
     "for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o); x[i] = sum + v;",
     {64, 1, 1},
     77},
    {"cooperative groups",
     "cg::thread_block b = cg::this_thread_block(); auto w = cg::tiled_partition<8>(b);\n"
     "int v = y[i]; for (int o = 4; o > 0; o /= 2) v += w.shfl_down(v, o);\n"
     "b.sync(); x[i] = v * 2 + w.thread_rank();"},
    {"a loop without barriers, threads side by side",
     "int sum = 0; for (int k = 0; k < n; ++k) sum += y[k * 2] * y[k * 64 + threadIdx.x];\n"
     "x[i] = sum;",
     {64, 1, 1},
     50},
    {"an odd number of rounds without barriers",
     "int sum = 0; for (int k = 0; k < n; ++k) sum = sum * 3 + y[k * 64 + threadIdx.x];\n"
     "x[i] = sum;",
     {64, 1, 1},
     51},
    {"one round without barriers",
     "int sum = 7; for (int k = 0; k < n; ++k) sum = sum * 3 + y[k * 64 + threadIdx.x];\n"
     "x[i] = sum;",
     {64, 1, 1},
     1},
    {"a few threads that read and write anywhere",
     "__shared__ int s[64]; int v = 0; s[t] = y[i]; __syncthreads();\n"
     "if (t % 9 == 4) v = s[y[i] % 64]; __syncthreads();\n"
     "if (t > 31 && t % 16 == 3) s[t * 5 % 64] = v + 1; __syncthreads(); x[i] = s[t] + v;"},
    {"the same for some of the threads",
     "if (threadIdx.x < 13 && threadIdx.y < 3) { int sum = 0;\n"
     "  for (int k = 0; k < n; ++k) sum += y[threadIdx.y * n + k] * y[k * 16 + threadIdx.x];\n"
     "  x[i] = sum; }",
     {16, 4, 1},
     50},
    {"a loop that some threads leave early",
     "int sum = 0; for (int k = 0; k < n; ++k) { if (y[k] == t) break; sum += y[k + t]; }\n"
     "x[i] = sum;",
     {64, 1, 1},
     500},
    {"atomics between barriers",
     "__shared__ int s[4]; if (t < 4) s[t] = 0; __syncthreads(); atomicAdd(&s[y[i] % 4], 1);\n"
     "__syncthreads(); x[i] = s[t % 4];"},
    {"two exchanges of a value that the next round replaces",
     "unsigned a = y[i], b = a * 7u + 3u, c = 5, l = 7;\n"
     "for (unsigned k = 0; k < threadIdx.y + 2; ++k) {\n"
     "  b += __shfl_down_sync(~0u, c, l & 31); b += __shfl_up_sync(~0u, c, 1);\n"
     "  c = l; l = l * 3 + 2; }\n"
     "x[i] = (int)b;",
     {32, 2, 2}},
    {"a function that calls itself",
     "struct F { static __device__ int f(int v) { return v < 2 ? v : f(v - 1) + f(v - 2); } };\n"
     "__shared__ int s[64]; s[t] = F::f(t % 8); __syncthreads(); x[i] = s[63 - t];"},
};

}  // namespace

TEST_SUITE("device.cpu.phases") {
  TEST_CASE("phases and fibers give the same, in every build and order") {
    for (const PhaseCase& c : kCases) {
      check_as_on_fibers(c);
    }
  }

  TEST_CASE("a kernel with barriers is cut, and one that needs stacks is not") {
    const auto compiled = [](const std::string& body) {
      return run_phase_case(phase_run({.name = "", .body = body}, Build::kFast)).compiled->image;
    };
    const PhasedCode cut = compiled("__syncthreads(); x[i] = y[i];").entries[0].phases;
    CHECK(cut.turn_offset != 0);
    CHECK(cut.rows_offset != 0);
    CHECK(cut.stops.size() == 1);
    CHECK_FALSE(cut.warps);
    CHECK(compiled("x[i] = __shfl_xor_sync(~0u, y[i], 1);").entries[0].phases.warps);
    const PhasedCode loop =
        compiled("int s = 0; for (int k = 0; k < n; ++k) s += y[k] * y[k + threadIdx.x]; x[i] = s;")
            .entries[0]
            .phases;
    CHECK(loop.rows_offset != 0);
    CHECK(loop.stops.size() == 1);
    CHECK(compiled("x[i] = y[i];").entries[0].phases.turn_offset == 0);
    CHECK(compiled("__syncthreads(); x[i] = __activemask();").entries[0].phases.turn_offset == 0);
  }

  TEST_CASE("what is undefined at a barrier is told alike") {
    for (const char* body : {
             "if (t < 20) __syncthreads(); else { __syncthreads(); x[0] = 1; }",
             "if (t == 3) __syncthreads(); else x[i] = __shfl_sync(~0u, y[i], 3);",
             "for (int k = 0; k < t % 2 + 1; ++k) { __syncthreads(); }\n__syncthreads();",
             "if (t % 2) x[i] = __any_sync(~0u, 1); else x[i] = __ballot_sync(~0u, 1);",
             "if (t != 5) x[i] = __shfl_sync(~0u, y[i], 3); else __trap();",
             "__syncthreads(); x[i + (t == 7 ? 100000 : 0)] = 1;",
             "int a[4]; __syncthreads(); a[t % 5] = 1; x[i] = a[y[i] % 4];",
         }) {
      CAPTURE(std::string(body));
      EngineRun run = phase_run({.name = "", .body = body}, Build::kBounds);
      run.grid = {1, 1, 1};
      const EngineResult cut = run_phase_case(run);
      run.phases = false;
      const EngineResult whole = run_phase_case(run);
      REQUIRE_FALSE(whole.outcome.ok());
      REQUIRE_FALSE(cut.outcome.ok());
      CHECK(cut.compiled->image.entries[0].phases.turn_offset != 0);
      CHECK(cut.fault().message == whole.fault().message);
    }
  }

  TEST_CASE("one warp that never ends runs into the limit, and no array is too large to carry") {
    EngineRun endless =
        phase_run({.name = "", .body = "while (t >= 32) x[i] += 1; __syncthreads(); x[i] = 1;"},
                  Build::kFast);
    endless.limit = std::chrono::milliseconds(300);
    const EngineResult late = run_phase_case(endless);
    CHECK_FALSE(late.outcome.ok());
    EngineRun large = phase_run({.name = "",
                                 .body = "char a[65536]; a[y[i]] = (char)t; __syncthreads();\n"
                                         "x[i] = a[y[i]];",
                                 .block = {1024, 1, 1}},
                                Build::kBounds);
    large.grid = {2, 1, 1};
    const EngineResult result = run_phase_case(large);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    for (std::size_t i = 0; i < 2048; ++i) {
      REQUIRE(result.buffer<int>(0)[i] == static_cast<signed char>(i % 1024));
    }
  }
}

}  // namespace ws::test
