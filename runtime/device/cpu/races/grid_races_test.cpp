// Races between blocks that live at the same time: a barrier of the whole grid orders everything,
// and so does one that is made by hand with its fences.
#include <string>

#include <doctest/doctest.h>

#include "runtime/device/cpu/races/test_races.h"

namespace ws::test {
namespace {

#define WS_GRID "  auto grid = cooperative_groups::this_grid();\n"
#define WS_INDEX "  int b = blockIdx.x, t = threadIdx.x, me = b * 64 + t;\n"

constexpr RaceCase kPlanted[] = {
    {"a word of another block before the barrier",
     WS_GRID WS_INDEX "  x[me] = me + 1;\n  y[me] = x[(me + 64) % 256];\n  grid.sync();",
     "write 4 read 5 grid", 64, 4, true},
    {"a barrier of the block in the place of the grid's",
     WS_GRID WS_INDEX "  x[me] = me + 1;\n  grid.sync();\n  x[me] += 1;\n  __syncthreads();\n"
                      "  y[me] = x[(me + 64) % 256];",
     "write 6 read 8 grid", 64, 4, true},
    {"rounds that lack the second barrier",
     WS_GRID WS_INDEX "  x[me] = me;\n  for (int i = 0; i < 3; ++i) {\n"
                      "    y[(me + 1) % 256] = x[me] + i;\n    grid.sync();\n    x[me] = y[me];\n"
                      "  }",
     "write 6 read 8 grid", 64, 4, true},
    {"blocks that write the same word behind a barrier",
     WS_GRID WS_INDEX "  x[me] = me;\n  grid.sync();\n  y[t] = x[me] + b;", "write 6 write 6 grid",
     64, 4, true},
    {"a neighbour in the same block behind a barrier",
     "  __shared__ int s[64];\n" WS_GRID WS_INDEX
     "  s[t] = t;\n  grid.sync();\n  s[t] += b + 1;\n  y[me] = s[63 - t];",
     "write 7 read 8 block", 64, 4, true},
    {"a sum of all blocks behind a barrier",
     WS_GRID WS_INDEX "  x[me] = me;\n  grid.sync();\n  if (t == 0)\n    y[0] += x[me] + 1;",
     "write 7 read 7 grid, write 7 write 7 grid", 64, 4, true},
    {"a barrier made by hand without fences",
     "  int b = blockIdx.x, t = threadIdx.x;\n  x[b * 64 + t] = t + 1;\n  __syncthreads();\n"
     "  if (t == 0) {\n    atomicAdd(&x[512], 1);\n    while (*(volatile int*)&x[512] < 4) { }\n"
     "  }\n  __syncthreads();\n  y[b * 64 + t] = x[(b * 64 + t + 64) % 256];",
     "write 3 read 10 grid", 64, 4},
};

constexpr RaceCase kOrdered[] = {
    {"rounds with two barriers",
     WS_GRID WS_INDEX "  x[me] = me;\n  for (int i = 0; i < 3; ++i) {\n"
                      "    y[(me + 1) % 256] = x[me] + i;\n    grid.sync();\n    x[me] = y[me];\n"
                      "    grid.sync();\n  }",
     "", 64, 4, true},
    {"sums of blocks that one block adds up",
     "  __shared__ int s;\n" WS_GRID WS_INDEX
     "  if (t == 0) s = 0;\n  __syncthreads();\n  atomicAdd(&s, me);\n  __syncthreads();\n"
     "  if (t == 0) x[b] = s;\n  grid.sync();\n  if (b == 0 && t < 4) atomicAdd(&y[0], x[t]);",
     "", 64, 4, true},
    {"shared memory that each block keeps over a barrier",
     "  __shared__ int s[64];\n" WS_GRID WS_INDEX
     "  s[t] = me;\n  grid.sync();\n  y[me] = s[63 - t];\n  grid.sync();\n  s[t] = y[me ^ 64];",
     "", 64, 4, true},
    {"counts by atomics of each block that others read behind a barrier",
     WS_GRID WS_INDEX "  atomicAdd_block(&x[b], t + 1);\n  grid.sync();\n  y[me] = x[3 - b];", "",
     64, 4, true},
    {"a barrier made by hand",
     "  int b = blockIdx.x, t = threadIdx.x;\n  x[b * 64 + t] = t + 1;\n  __syncthreads();\n"
     "  if (t == 0) {\n    __threadfence();\n    atomicAdd(&x[512], 1);\n"
     "    while (*(volatile int*)&x[512] < 4) { }\n    __threadfence();\n  }\n  __syncthreads();\n"
     "  y[b * 64 + t] = x[(b * 64 + t + 64) % 256];",
     "", 64, 4},
};

#undef WS_GRID
#undef WS_INDEX

}  // namespace

TEST_SUITE("device.cpu.races") {
  TEST_CASE("races between blocks of a cooperative launch are found") {
    check_races(kPlanted);
  }

  TEST_CASE("a barrier of the whole grid orders all accesses of all blocks") {
    for (const RaceCase& c : kOrdered) {
      INFO(std::string(c.name));
      CHECK(races_of(c) == c.want);
      RaceCase other = c;
      other.cooperative = true;
      CHECK(races_of(other) == c.want);
    }
  }
}

}  // namespace ws::test
