// Volatile accesses: those that a launch must find racing, and those of threads that wait.
#include <doctest/doctest.h>

#include "runtime/device/cpu/races/test_races.h"

namespace ws::test {
namespace {

constexpr RaceCase kRacing[] = {
    {"a tree of volatile words over four warps",
     "  __shared__ volatile int s[128];\n  int t = threadIdx.x;\n  s[t] = x[t] + t;\n"
     "  __syncthreads();\n  for (int half = 64; half > 0; half /= 2)\n"
     "    if (t < half) s[t] = s[t] + s[t + half];\n  __syncthreads();\n  y[t] = s[0];",
     "write 7 read 7 block", 128},
    {"a wait of a hundred looks at most",
     "  __shared__ volatile int flag[2];\n  int t = threadIdx.x;\n  if (t < 2) flag[t] = 0;\n"
     "  __syncthreads();\n  if (t % 32 == 0) flag[t / 32] = 1;\n"
     "  for (int i = 0; i < 100 && flag[1 - t / 32] == 0; ++i) { }",
     "write 6 read 7 block"},
    {"blocks that count in a volatile word",
     "  volatile int* c = x;\n  if (threadIdx.x == 0) {\n    c[0] = c[0] + 1;\n  }",
     "write 4 read 4 grid", 64, 4},
};

constexpr RaceCase kOrdered[] = {
    {"a status and a value in one volatile word, on which blocks look back",
     "  volatile long long* word = (volatile long long*)x;\n  if (threadIdx.x == 0) {\n"
     "    long long before = 1;\n    int b = blockIdx.x;\n"
     "    while (b > 0 && (before = word[b - 1]) >= 0) { }\n"
     "    word[b] = before < 0 ? before - 1 : -1;\n  }",
     "", 64, 4},
    {"blocks that take turns by a volatile word",
     "  volatile int* turn = x;\n  if (threadIdx.x == 0) {\n    while (turn[0] != blockIdx.x) { }\n"
     "    __threadfence();\n    y[0] = y[0] + 1;\n    __threadfence();\n    turn[0] = blockIdx.x + "
     "1;\n  }",
     "", 64, 4},
    {"a volatile word of a warp",
     "  __shared__ volatile int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t];\n  y[t] = s[t ^ 1];",
     "", 32},
};

}  // namespace

TEST_SUITE("device.cpu.races") {
  TEST_CASE("a volatile read races with a volatile write of another warp") {
    check_races(kRacing);
    CHECK(records_of(kRacing[0]).at(0).volatile_only);
  }

  TEST_CASE("threads that wait or take turns by a volatile word do not race") {
    check_races(kOrdered);
  }
}

}  // namespace ws::test
