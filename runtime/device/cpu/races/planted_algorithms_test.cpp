// Mistakes in the kernels that people write: reductions, scans, tiles, sorts, queues and locks.
// Each lacks one barrier, one fence or one atomic.
#include <doctest/doctest.h>

#include "runtime/device/cpu/races/test_races.h"

namespace ws::test {
namespace {

constexpr RaceCase kAlgorithms[] = {
    {"a tree without its last barrier",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t] + 1;\n"
     "  for (int o = 32; o > 0; o /= 2) {\n    __syncthreads();\n    if (t < o) s[t] += s[t + o];\n"
     "  }\n  y[t] = s[0];",
     "write 7 read 9 block"},
    {"a tree whose first step comes too early",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t] + 1;\n"
     "  for (int o = 32; o > 0; o /= 2) {\n    if (t < o) s[t] += s[t + o];\n    __syncthreads();\n"
     "  }\n  y[t] = s[0];",
     "write 4 read 6 block"},
    {"two reductions through one array",
     "  __shared__ int s[2];\n  int t = threadIdx.x;\n"
     "  int a = __reduce_add_sync(0xffffffffu, x[t] + 1);\n  if (t % 32 == 0) s[t / 32] = a;\n"
     "  __syncthreads();\n  int sum = s[0] + s[1];\n"
     "  int b = __reduce_add_sync(0xffffffffu, x[t] + sum);\n  if (t % 32 == 0) s[t / 32] = b;\n"
     "  __syncthreads();\n  y[t] = s[0] + s[1];",
     "write 9 read 7 block, write 9 read 7 block"},
    {"a maximum that is read while the sum is written",
     "  __shared__ int s[2], m;\n  int t = threadIdx.x;\n"
     "  int a = __reduce_max_sync(0xffffffffu, x[t] + t);\n  if (t % 32 == 0) s[t / 32] = a;\n"
     "  __syncthreads();\n  if (t == 0) m = s[0] > s[1] ? s[0] : s[1];\n  y[t] = m + s[0];",
     "write 7 read 8 block"},
    {"a scan by two arrays whose second barrier is missing",
     "  __shared__ int s[2][64];\n  int t = threadIdx.x, from = 0;\n  s[0][t] = t + 1;\n"
     "  __syncthreads();\n  for (int o = 1; o < 64; o *= 2) {\n    int to = 1 - from;\n"
     "    s[to][t] = s[from][t] + (t >= o ? s[from][t - o] : 0);\n    from = to;\n  }\n"
     "  y[t] = s[from][t];",
     "write 8 read 8 block"},
    {"the down-sweep of a scan without a barrier",
     "  __shared__ int s[128];\n  int t = threadIdx.x;\n  s[2 * t] = t + 1;\n  s[2 * t + 1] = t + "
     "2;\n"
     "  __syncthreads();\n  for (int o = 1; o < 128; o *= 2) {\n    int i = (t + 1) * o * 2 - 1;\n"
     "    if (i < 128) s[i] += s[i - o];\n  }\n  __syncthreads();\n  y[t] = s[t];",
     "write 9 read 9 block, write 9 read 9 block, write 9 write 9 block"},
    {"a transposed tile without a barrier",
     "  __shared__ int s[8][9];\n  int r = threadIdx.x / 8, c = threadIdx.x % 8;\n"
     "  s[r][c] = x[threadIdx.x] + r;\n  y[threadIdx.x] = s[c][r];",
     "write 4 read 5 block"},
    {"a halo that other threads load",
     "  __shared__ int s[66];\n  int t = threadIdx.x;\n  s[t + 1] = x[t] + t;\n"
     "  if (t == 0) { s[0] = 7; s[65] = 9; }\n  y[t] = s[t] + s[t + 1] + s[t + 2];",
     "write 4 read 6 block, write 4 read 6 block, write 5 read 6 block"},
    {"a product whose second tile is not waited for",
     "  __shared__ int a[64], b[64];\n  int t = threadIdx.x, sum = 0;\n  a[t] = x[t] + 1;\n"
     "  __syncthreads();\n  b[t] = x[t + 64] + t;\n  for (int i = 0; i < 8; ++i) sum += a[i] * b[i "
     "* 8];\n"
     "  y[t] = sum;",
     "write 6 read 7 block"},
    {"double buffering with one buffer",
     "  __shared__ int s[2][64];\n  int t = threadIdx.x, sum = 0;\n  s[0][t] = x[t] + 1;\n"
     "  for (int i = 0; i < 4; ++i) {\n    __syncthreads();\n    s[i % 2][t] = x[t + 64 * i] + i + "
     "t;\n"
     "    sum += s[i % 2][63 - t];\n  }\n  y[t] = sum;",
     "write 7 read 8 block"},
    {"a bitonic sort without a barrier in the inner loop",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = (t * 37) % 64;\n  "
     "__syncthreads();\n"
     "  for (int k = 2; k <= 64; k *= 2)\n    for (int j = k / 2; j > 0; j /= 2) {\n      int p = "
     "t ^ j;\n"
     "      if (p > t && (s[t] > s[p]) == ((t & k) == 0)) { int v = s[t]; s[t] = s[p]; s[p] = v; "
     "}\n"
     "    }\n  __syncthreads();\n  y[t] = s[t];",
     "*"},
    {"an odd-even sort without a barrier",
     "  __shared__ int s[65];\n  int t = threadIdx.x;\n  s[t] = 64 - t;\n  __syncthreads();\n"
     "  for (int i = 0; i < 64; ++i) {\n    int a = 2 * (t / 2) + i % 2;\n"
     "    if (t % 2 == 0 && a < 63 && s[a] > s[a + 1]) { int v = s[a]; s[a] = s[a + 1]; s[a + 1] = "
     "v; }\n"
     "  }\n  __syncthreads();\n  y[t] = s[t];",
     "*"},
    {"a histogram that is not cleared in time",
     "  __shared__ int h[8];\n  if (threadIdx.x >= 32 && threadIdx.x < 40) h[threadIdx.x - 32] = "
     "0;\n"
     "  atomicAdd(&h[threadIdx.x % 8], 1);\n  __syncthreads();\n"
     "  if (threadIdx.x < 8) y[threadIdx.x] = h[threadIdx.x];",
     "write 3 write 4 block"},
    {"a histogram that is read too early",
     "  __shared__ int h[8];\n  if (threadIdx.x < 8) h[threadIdx.x] = 0;\n  __syncthreads();\n"
     "  atomicAdd(&h[threadIdx.x % 8], 1);\n  if (threadIdx.x < 8) y[threadIdx.x] = "
     "h[threadIdx.x];",
     "write 5 read 6 block"},
    {"a histogram in global memory that blocks clear",
     "  if (threadIdx.x < 8) y[threadIdx.x] = 1;\n  __syncthreads();\n"
     "  atomicAdd(&y[threadIdx.x % 8], 1);",
     "write 2 write 2 grid, write 2 write 4 grid", 64, 2},
    {"a histogram without atomics", "  y[x[threadIdx.x] % 8] += 1;",
     "write 2 read 2 block, write 2 write 2 block"},
    {"a queue whose entries are read without a barrier",
     "  __shared__ int q[64], n0;\n  if (threadIdx.x == 0) n0 = 0;\n  __syncthreads();\n"
     "  if (threadIdx.x % 2) q[atomicAdd(&n0, 1)] = threadIdx.x;\n  y[threadIdx.x] = q[0];",
     "write 5 read 6 block"},
    {"a queue whose count is read without a barrier",
     "  __shared__ int n0;\n  if (threadIdx.x == 0) n0 = 0;\n  __syncthreads();\n"
     "  if (threadIdx.x % 2) atomicAdd(&n0, 1);\n  y[threadIdx.x] = n0;",
     "write 5 read 6 block"},
    {"a lock without fences",
     "  if (threadIdx.x == 0) {\n    while (atomicCAS(&x[0], 0, 1) != 0) {}\n"
     "    x[1] += blockIdx.x + 1;\n    atomicExch(&x[0], 0);\n  }",
     "write 4 read 4 grid, write 4 write 4 grid", 64, 4},
    {"a lock that is given back by a fence too late",
     "  if (threadIdx.x == 0) {\n    while (atomicCAS(&x[0], 0, 1) != 0) {}\n    __threadfence();\n"
     "    x[1] += blockIdx.x + 1;\n    atomicExch(&x[0], 0);\n    __threadfence();\n  }",
     "write 5 read 5 grid, write 5 write 5 grid", 64, 4},
    {"a chain of blocks whose first fence is missing",
     "  if (threadIdx.x == 0) {\n    while (atomicAdd(&x[0], 0) != blockIdx.x) {}\n"
     "    x[1] = x[1] * 3 + blockIdx.x + 1;\n    atomicAdd(&x[0], 1);\n    __threadfence();\n  }",
     "write 4 read 4 grid, write 4 write 4 grid", 64, 4},
    {"partial sums that the next block adds up",
     "  __shared__ int s;\n  if (threadIdx.x == 0) s = 0;\n  __syncthreads();\n"
     "  atomicAdd(&s, x[threadIdx.x] + 1);\n  __syncthreads();\n  if (threadIdx.x == 0) {\n"
     "    x[512 + blockIdx.x] = s;\n    y[blockIdx.x] = blockIdx.x == 0 ? s : x[511 + blockIdx.x] "
     "+ s;\n"
     "  }",
     "write 8 read 9 grid", 64, 4},
    {"chunks of blocks that overlap",
     "  int i = blockIdx.x * 63 + threadIdx.x;\n  y[i] = i + blockIdx.x;", "write 3 write 3 grid",
     64, 4},
    {"a stride that is too short",
     "  for (int i = threadIdx.x; i < 128; i += 32) y[i] = i + threadIdx.x;",
     "write 2 write 2 block"},
    {"rows of a matrix that are too long",
     "  for (int i = 0; i < 9; ++i) y[threadIdx.x * 8 + i] = threadIdx.x + i;",
     "write 2 write 2 block"},
    {"a flag that is set and cleared",
     "  __shared__ int any;\n  if (threadIdx.x == 0) any = 0;\n  if (x[threadIdx.x] < "
     "threadIdx.x)\n"
     "    any = 1;\n"
     "  __syncthreads();\n  y[threadIdx.x] = any;",
     "write 3 write 5 warp"},
    {"a word that all threads use as their own", "  x[n] = threadIdx.x;\n  y[threadIdx.x] = x[n];",
     "write 2 write 2 block"},
    {"vectors that overlap",
     "  ((int2*)y)[threadIdx.x] = make_int2(threadIdx.x, 1);\n  y[2 * threadIdx.x + 2] = 5;",
     "write 2 write 3 block"},
    {"bytes beside a word that is written as a whole",
     "  __shared__ unsigned char b[256];\n  b[threadIdx.x + 64] = 3;\n"
     "  ((int*)b)[threadIdx.x] = threadIdx.x + 1;\n  __syncthreads();\n  y[threadIdx.x] = "
     "b[threadIdx.x];",
     "write 3 write 4 block"},
    {"a group of eight lanes that does not meet",
     "  namespace cg = cooperative_groups;\n  __shared__ int s[64];\n"
     "  auto g = cg::tiled_partition<8>(cg::this_thread_block());\n  int t = threadIdx.x;\n"
     "  s[t] = x[t] + 1;\n  y[t] = s[t ^ 7] + g.size();",
     "write 6 read 7 warp"},
    {"a group of eight lanes that reads a ninth",
     "  namespace cg = cooperative_groups;\n  __shared__ int s[64];\n"
     "  auto g = cg::tiled_partition<8>(cg::this_thread_block());\n  int t = threadIdx.x;\n"
     "  s[t] = x[t] + 1;\n  g.sync();\n  y[t] = s[t ^ 8];",
     "write 6 read 8 warp"},
    {"__syncwarp in the place of __syncthreads",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t] + 1;\n  __syncwarp();\n"
     "  y[t] = s[63 - t];",
     "write 4 read 6 block"},
    {"a fence in the place of __syncthreads",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t] + 1;\n  "
     "__threadfence_block();\n"
     "  y[t] = s[63 - t];",
     "write 4 read 6 block"},
    {"__syncthreads in the place of a barrier of the grid",
     "  x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + 1;\n  __syncthreads();\n"
     "  y[blockIdx.x * 64 + threadIdx.x] = x[(blockIdx.x * 64 + threadIdx.x + 1) % 256];",
     "write 2 read 4 grid", 64, 4},
    {"an arrival that nobody waits for",
     "  __shared__ cuda::barrier<cuda::thread_scope_block> b;\n  __shared__ int s[64];\n"
     "  int t = threadIdx.x;\n  if (t == 0) init(&b, 64);\n  __syncthreads();\n  s[t] = x[t] + 1;\n"
     "  auto token = b.arrive();\n  y[t] = s[63 - t];\n  b.wait(token);",
     "write 7 read 9 block"},
    {"a barrier in memory that is used before it is made",
     "  __shared__ cuda::barrier<cuda::thread_scope_block> b;\n  int t = threadIdx.x;\n"
     "  if (t == 0) init(&b, 64);\n  b.arrive_and_wait();\n  y[t] = 1;",
     "*"},
};

}  // namespace

TEST_SUITE("device.cpu.races") {
  TEST_CASE("the missing barrier, fence or atomic of an algorithm is found") {
    for (const RaceCase& c : kAlgorithms) {
      INFO(std::string(c.name));
      const std::string found = races_of(c);
      INFO(found);
      // Code with many accesses in one line has many pairs: some must be found.
      CHECK((std::string(c.want) == "*" ? !found.empty() : found == c.want));
    }
  }
}

}  // namespace ws::test
