// Kernels that ask which warp a thread is in: all of a warp agree where warps are aligned.
#include <doctest/doctest.h>

#include "runtime/device/cpu/test_phases.h"

namespace ws::test {
namespace {

constexpr const char* kSumOfBlock =
    "__shared__ int s[32]; int v = y[i];\n"
    "for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);\n"
    "if (t % 32 == 0) s[t / 32] = v; __syncthreads();\n"
    "if (threadIdx.x < 32 && threadIdx.y + threadIdx.z == 0) {\n"
    "  v = threadIdx.x < threads / 32 ? s[threadIdx.x] : 0;\n"
    "  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);\n"
    "  if (threadIdx.x == 0) s[0] = v; }\n"
    "__syncthreads(); x[i] = s[0] + t;";

constexpr const char* kWarpsOfRows =
    "int w = threadIdx.x / 32, v = y[i] + w;\n"
    "if (threadIdx.x >= 32) v += __shfl_xor_sync(~0u, v, 8); else v -= __shfl_xor_sync(~0u, v, "
    "4);\n"
    "x[i] = v * 10 + (threadIdx.x & 96) + threadIdx.y;";

constexpr const char* kRowsByWarp =
    "__shared__ int s[8]; int v = y[i];\n"
    "if (threadIdx.x > 31 || threadIdx.y > 1) v = 3;\n"
    "for (int k = threadIdx.y; k < n; k += 2) v += __shfl_down_sync(~0u, v, 1);\n"
    "if (threadIdx.x == 0) s[threadIdx.y] = v; __syncthreads();\n"
    "x[i] = v + s[threadIdx.y] + threadIdx.x / 64;";

const PhaseCase kAlignedCases[] = {
    {"a sum over a block", kSumOfBlock, {256, 1, 1}},
    {"a sum over a block of rows", kSumOfBlock, {64, 2, 2}},
    {"roles by warp", kWarpsOfRows, {128, 1, 1}},
    {"roles by warp in rows", kWarpsOfRows, {64, 3, 1}},
    {"bounds inside a warp beside those of warps",
     "x[i] = __shfl_xor_sync(~0u, y[i], 1) * 16 + (threadIdx.x < 33) + 2 * (threadIdx.x / 32) +\n"
     "8 * (threadIdx.x > 62);",
     {128, 1, 1}},
    {"a row for each warp", kRowsByWarp, {32, 4, 1}, 5},
    {"two warps for each row", kRowsByWarp, {64, 4, 1}, 5},
};

PhasedCode code_of(const std::string& body) {
  return run_phase_case(phase_run({.name = "", .body = body}, Build::kFast))
      .compiled->image.entries[0]
      .phases;
}

}  // namespace

TEST_SUITE("device.cpu.aligned_warps") {
  TEST_CASE("aligned warps give what fibers give") {
    for (const PhaseCase& c : kAlignedCases) {
      check_as_on_fibers(c);
    }
  }

  TEST_CASE("warps that are not aligned do not take the code for aligned ones") {
    const char* const body =
        "int v = y[i] + threadIdx.x / 32;\n"
        "v += __shfl_xor_sync(~0u, v, 1); x[i] = v * 10 + (threadIdx.x < 32 ? 1 : 2);";
    for (const std::array<std::int64_t, 3> block :
         {std::array<std::int64_t, 3>{48, 2, 1}, {16, 16, 1}, {80, 2, 2}}) {
      CAPTURE(block[0]);
      check_as_on_fibers({.name = "rows that end inside a warp", .body = body, .block = block});
    }
    check_as_on_fibers({.name = "a partial warp at the end",
                        .body = "int v = __shfl_xor_sync(__activemask(), y[i], 1);\n"
                                "x[i] = v + threadIdx.x / 32;",
                        .block = {80, 1, 1}});
  }

  TEST_CASE("only what follows from the warp makes code for aligned warps") {
    CHECK(code_of("x[i] = __shfl_xor_sync(~0u, y[i], 1) + threadIdx.x / 32;").aligned);
    CHECK(code_of("x[i] = __shfl_xor_sync(~0u, y[i], 1) + (threadIdx.x < 32);").aligned);
    CHECK_FALSE(code_of("x[i] = __shfl_xor_sync(~0u, y[i], 1) + threadIdx.x / 16;").aligned);
    CHECK_FALSE(code_of("x[i] = __shfl_xor_sync(~0u, y[i], 1) + (threadIdx.x < 33);").aligned);
    CHECK_FALSE(code_of("__syncthreads(); x[i] = y[i] + threadIdx.x / 32;").aligned);
  }
}

}  // namespace ws::test
