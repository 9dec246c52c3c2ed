// Barriers of some threads of a block order the accesses of those that meet there, and no others.
#include <doctest/doctest.h>

#include "runtime/device/cpu/races/test_races.h"

namespace ws::test {
namespace {

constexpr RaceCase kPlanted[] = {
    {"halves that meet each on its own read each other's words",
     "  __shared__ int s[128];\n  int t = threadIdx.x;\n  s[t] = x[t] + 1;\n  meet(t / 64 + 1, "
     "64);\n"
     "  y[t] = s[127 - t];",
     "write 4 read 6 block", 128},
    {"a warp that was not at the barrier of two others reads what they wrote",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  if (t < 64) {\n    s[t] = t + 1;\n"
     "    meet(1, 64);\n  } else {\n    y[t] = s[t - 64];\n  }",
     "write 5 read 8 block", 96},
    {"warps that give overwrite what others have not taken yet",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  for (int i = 0; i < 3; ++i) {\n"
     "    if (t < 64) {\n      s[t] = t + i;\n      arrive(3 + i, 128);\n    } else {\n"
     "      meet(3 + i, 128);\n      y[t] += s[127 - t];\n    }\n  }",
     "write 6 read 10 block", 128},
    {"warps that only arrive read what is written behind the barrier",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  if (t < 64) {\n    s[t] = t + 1;\n"
     "    arrive(3, 128);\n    y[t] = x[127 - t];\n  } else {\n    meet(3, 128);\n"
     "    x[t] = s[127 - t];\n  }",
     "write 10 read 7 block", 128},
    {"a thread arrives before it has written",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  if (t < 64) {\n    arrive(3, 128);\n"
     "    s[t] = t + 1;\n  } else {\n    meet(3, 128);\n    y[t] = s[127 - t];\n  }",
     "write 6 read 9 block", 128},
    {"a pipeline of two stages whose giver waits once only",
     "  __shared__ int s[2][32];\n  int t = threadIdx.x % 32;\n  for (int i = 0; i < 4; ++i) {\n"
     "    if (threadIdx.x < 32) {\n      if (i == 2) meet(4, 64);\n"
     "      s[i % 2][t] = t + i;\n      arrive(2 + i % 2, 64);\n    } else {\n"
     "      meet(2 + i % 2, 64);\n      y[t] += s[i % 2][31 - t];\n"
     "      if (i < 2) arrive(4 + i % 2, 64);\n    }\n  }",
     "write 7 read 11 block", 64},
    {"a thread of a block that arrives, then writes, then waits",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  auto b = "
     "cooperative_groups::this_thread_block();\n  auto token = b.barrier_arrive();\n"
     "  s[t] = t + 1;\n  b.barrier_wait(static_cast<decltype(token)&&>(token));\n"
     "  y[t] = s[63 - t];",
     "write 6 read 8 block"},
    {"a barrier of some threads between two accesses of global memory by others",
     "  int t = threadIdx.x;\n  if (t >= 64) x[t] = t;\n  if (t < 64) {\n    meet(1, 64);\n"
     "    y[t] = x[t + 64];\n  }",
     "write 3 read 6 block", 128},
};

constexpr RaceCase kOrdered[] = {
    {"two meetings of each half",
     "  __shared__ int s[128];\n  int t = threadIdx.x;\n  for (int i = 0; i < 3; ++i) {\n"
     "    s[t] = t + i;\n    meet(t / 64 + 1, 64);\n    y[t] += s[t / 64 * 64 + 63 - t % 64];\n"
     "    meet(t / 64 + 1, 64);\n  }",
     "", 128},
    {"warps that give and warps that take, with a barrier for each direction",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  for (int i = 0; i < 4; ++i) {\n"
     "    if (t < 64) {\n      if (i > 0) meet(4, 128);\n      s[t] = t + i;\n      arrive(3, "
     "128);\n"
     "    } else {\n      meet(3, 128);\n      y[t] += s[127 - t];\n"
     "      if (i < 3) arrive(4, 128);\n    }\n  }",
     "", 128},
    {"a warp that gives and three that take, in two stages",
     "  __shared__ int s[2][32];\n  int t = threadIdx.x % 32, sum = 0;\n"
     "  for (int i = 0; i < 6; ++i) {\n    if (threadIdx.x < 32) {\n"
     "      if (i > 1) meet(4 + i % 2, 128);\n      s[i % 2][t] = x[t] + i;\n"
     "      arrive(2 + i % 2, 128);\n    } else {\n      meet(2 + i % 2, 128);\n"
     "      sum += s[i % 2][31 - t];\n      if (i < 4) arrive(4 + i % 2, 128);\n    }\n  }\n"
     "  y[threadIdx.x] = sum;",
     "", 128},
    {"a chain of meetings tells the last what the first has written",
     "  __shared__ int s[32];\n  int t = threadIdx.x, w = t / 32;\n  if (w == 0) s[t] = t + 1;\n"
     "  if (w < 2) meet(1, 64);\n  if (w == 1 || w == 2) meet(2, 64);\n"
     "  if (w > 1) meet(3, 64);\n  if (w == 3) y[t] = s[127 - t];",
     "", 128},
    {"a thread of a block that writes, arrives and waits",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  auto b = "
     "cooperative_groups::this_thread_block();\n  for (int i = 0; i < 3; ++i) {\n    s[t] = t + "
     "i;\n"
     "    auto token = b.barrier_arrive();\n"
     "    b.barrier_wait(static_cast<decltype(token)&&>(token));\n    y[t] += s[63 - t];\n"
     "    __syncthreads();\n  }",
     ""},
    {"meetings by turns at one barrier",
     "  __shared__ int s[128];\n  int t = threadIdx.x;\n  for (int i = 0; i < 4; ++i) {\n"
     "    if (t / 64 == i % 2) {\n      s[t] = t + i;\n      meet(1, 64);\n"
     "      y[t] += s[t ^ 63];\n    }\n    __syncthreads();\n  }",
     "", 128},
    {"a barrier with a number of all threads, some of which have ended",
     "  __shared__ int s[128];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n  if (t >= 96) return;\n"
     "  asm volatile(\"bar.sync 9;\" ::: \"memory\");\n  y[t] = s[95 - t];",
     "", 128},
    {"lanes that have written and ended count with their warp",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n"
     "  if (t == 5 || t == 63) return;\n  meet(1, 64);\n  y[t] = s[63 - t];",
     ""},
    {"one of those who met publishes what all have written",
     "  if (blockIdx.x == 0) {\n    if (threadIdx.x < 64) {\n      x[threadIdx.x] = 7 + "
     "threadIdx.x;\n"
     "      meet(1, 64);\n"
     "      if (threadIdx.x == 0) { __threadfence(); atomicExch(&x[512], 1); }\n    }\n  } else {\n"
     "    if (threadIdx.x == 0) { while (atomicAdd(&x[512], 0) == 0) {} __threadfence(); }\n"
     "    __syncthreads();\n    y[threadIdx.x] = x[threadIdx.x % 64];\n  }",
     "", 96, 2},
};

}  // namespace

TEST_SUITE("device.cpu.races") {
  TEST_CASE("a barrier of some threads orders nothing for the others") {
    check_races(kPlanted);
  }

  TEST_CASE("accesses that barriers of some threads order are no races") {
    check_races(kOrdered);
  }
}

}  // namespace ws::test
