// Words that several threads use before the one that must know of all of them.
#include <doctest/doctest.h>

#include "runtime/device/cpu/races/test_races.h"

namespace ws::test {
namespace {

#define WS_TOTAL(fence)                                                      \
  "  if (threadIdx.x == 0) {\n    atomicAdd(&x[0], blockIdx.x + 1);\n" fence \
  "\n    if (atomicAdd(&x[1], 1) == 3)\n      y[0] = x[0];\n  }"

#define WS_LARGEST(fence)                                                                        \
  "  __shared__ bool last;\n  atomicMax(&x[0], threadIdx.x * blockIdx.x);\n  __syncthreads();\n" \
  "  if (threadIdx.x == 0) {\n" fence                                                            \
  "    last = atomicAdd(&x[1], 1) == 3;\n  }\n  __syncthreads();\n  if (last) y[threadIdx.x] = " \
  "x[0];"

#define WS_READERS(third)                                                    \
  "  __shared__ int s;\n  int w = threadIdx.x / 32, l = threadIdx.x % 32;\n" \
  "  if (threadIdx.x == 0) s = 7;\n  __syncthreads();\n"                     \
  "  if (w < 2) {\n    y[w * 32 + l] = s;\n    arrive(1, " third             \
  ");\n  } else if (w == 2) {\n    y[64 + l] = s;\n    if (" third           \
  " == 128) arrive(1, 128);\n"                                               \
  "  } else {\n    meet(1, " third ");\n    if (l == 0) s = 8;\n  }"

constexpr RaceCase kRacing[] = {
    {"a total of several blocks that the last one reads without a fence", WS_TOTAL(""),
     "write 3 read 6 grid", 64, 4},
    {"a largest value of several blocks that all threads of the last one read without a fence",
     WS_LARGEST(""), "write 3 read 9 grid", 64, 4},
    {"the third of three warps that read, for which nobody waits", WS_READERS("96"),
     "write 14 read 10 block", 128},
};

constexpr RaceCase kOrdered[] = {
    {"a total of several blocks behind a fence", WS_TOTAL("    __threadfence();"), "", 64, 4},
    {"a largest value of several blocks behind a fence", WS_LARGEST("    __threadfence();\n"), "",
     64, 4},
    {"three warps that read, and one that waits for all of them", WS_READERS("128"), "", 128},
};

#undef WS_TOTAL
#undef WS_LARGEST
#undef WS_READERS

}  // namespace

TEST_SUITE("device.cpu.races") {
  TEST_CASE("each of several threads that use a word before another one is compared with it") {
    check_races(kRacing);
  }

  TEST_CASE("several threads that use a word and are waited for do not race") {
    check_races(kOrdered);
  }
}

}  // namespace ws::test
