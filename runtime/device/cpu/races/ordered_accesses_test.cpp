// Kernels in which something orders all accesses, so that a watched launch finds nothing.
#include <doctest/doctest.h>

#include "runtime/device/cpu/races/test_races.h"

namespace ws::test {
namespace {

constexpr RaceCase kOrdered[] = {
    {"words of each thread",
     "  int i = blockIdx.x * 64 + threadIdx.x;\n  x[i] = y[i] + 1;\n  x[i] *= 2;", "", 64, 4},
    {"a barrier",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t];\n"
     "  __syncthreads();\n  y[t] = s[63 - t];",
     ""},
    {"tiles with two barriers",
     "  __shared__ int s[64];\n  int t = threadIdx.x, a = 0;\n  for (int i = 0; i < 3; ++i) {\n"
     "    s[t] = x[i * 64 + t] + i;\n    __syncthreads();\n    a += s[63 - t];\n"
     "    __syncthreads();\n  }\n  y[t] = a;",
     ""},
    {"two tiles by turns",
     "  __shared__ int s[2][64];\n  int t = threadIdx.x, a = 0;\n  for (int i = 0; i < 4; ++i) {\n"
     "    s[i % 2][t] = x[i * 64 + t] + i;\n    __syncthreads();\n    a += s[i % 2][63 - t];\n  }\n"
     "  y[t] = a;",
     ""},
    {"a tree",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n"
     "  for (int o = 32; o > 0; o /= 2) {\n    __syncthreads();\n    if (t < o) s[t] += s[t + o];\n"
     "  }\n  if (t == 0) y[0] = s[0];",
     ""},
    {"a tree of a warp",
     "  __shared__ int s[32];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n"
     "  for (int o = 16; o > 0; o /= 2) {\n    __syncwarp();\n    if (t < o) s[t] += s[t + o];\n"
     "  }\n  if (t == 0) y[0] = s[0];",
     "", 32},
    {"shuffles",
     "  int v = x[threadIdx.x];\n  for (int o = 16; o > 0; o /= 2)\n"
     "    v += __shfl_xor_sync(0xffffffffu, v, o);\n  if (threadIdx.x % 32 == 0) atomicAdd(&y[0], "
     "v);",
     "", 64, 4},
    {"sums of warps in shared memory",
     "  __shared__ int s[2];\n  int v = __reduce_add_sync(0xffffffffu, x[threadIdx.x]);\n"
     "  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;\n  __syncthreads();\n"
     "  if (threadIdx.x == 0) y[blockIdx.x] = s[0] + s[1];",
     "", 64, 4},
    {"a histogram",
     "  __shared__ int h[8];\n  if (threadIdx.x < 8) h[threadIdx.x] = 0;\n"
     "  __syncthreads();\n  atomicAdd(&h[threadIdx.x % 8], 1);\n  __syncthreads();\n"
     "  if (threadIdx.x < 8) atomicAdd(&y[threadIdx.x], h[threadIdx.x]);",
     "", 64, 4},
    {"a flag that all set", "  if (x[threadIdx.x] == 0) y[0] = 1;", "", 64, 4},
    {"a flag in shared memory",
     "  __shared__ int any;\n  if (threadIdx.x == 0) any = 0;\n"
     "  __syncthreads();\n  if (x[threadIdx.x] == 0) any = 1;\n  __syncthreads();\n"
     "  y[threadIdx.x] = any;",
     ""},
    {"a ticket with a fence",
     "  __shared__ int last;\n  x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + 3;\n"
     "  __threadfence();\n  __syncthreads();\n"
     "  if (threadIdx.x == 0) last = atomicAdd(&x[1000], 1) == 3;\n"
     "  __syncthreads();\n  if (last) y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 64];",
     "", 64, 4},
    {"a ticket with a fence of the thread that takes it",
     "  __shared__ int last;\n  x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + 3;\n"
     "  __syncthreads();\n  if (threadIdx.x == 0) {\n    __threadfence();\n"
     "    last = atomicAdd(&x[1000], 1) == 3;\n  }\n"
     "  __syncthreads();\n  if (last) y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 64];",
     "", 64, 4},
    {"a flag with a fence",
     "  if (blockIdx.x == 0) {\n    x[threadIdx.x] = 7 + threadIdx.x;\n    __threadfence();\n"
     "    __syncthreads();\n    if (threadIdx.x == 0) *(volatile int*)&x[512] = 1;\n  } else {\n"
     "    if (threadIdx.x == 0) while (*(volatile int*)&x[512] == 0) {}\n    __syncthreads();\n"
     "    y[threadIdx.x] = x[threadIdx.x];\n  }",
     "", 64, 2},
    {"a lock",
     "  if (threadIdx.x == 0) {\n    while (atomicCAS(&x[0], 0, 1) != 0) {}\n    __threadfence();\n"
     "    x[1] += blockIdx.x + 1;\n    __threadfence();\n    atomicExch(&x[0], 0);\n  }",
     "", 64, 4},
    {"a chain of blocks",
     "  if (threadIdx.x == 0) {\n    while (atomicAdd(&x[0], 0) != blockIdx.x) {}\n"
     "    __threadfence();\n    x[1] = x[1] * 3 + blockIdx.x + 1;\n    __threadfence();\n"
     "    atomicAdd(&x[0], 1);\n  }",
     "", 64, 4},
    {"a store with release and a load with acquire",
     "  cuda::atomic_ref<int, cuda::thread_scope_device> flag(x[512]);\n  if (blockIdx.x == 0) {\n"
     "    if (threadIdx.x == 0) { x[0] = 7; flag.store(1, cuda::memory_order_release); }\n"
     "  } else if (threadIdx.x == 0) {\n    while (flag.load(cuda::memory_order_acquire) == 0) {}\n"
     "    y[0] = x[0];\n  }",
     "", 64, 2},
    {"a flag in a block, told by atomics and fences of the block",
     "  __shared__ int flag;\n  int i = blockIdx.x * 64;\n  if (threadIdx.x == 0) flag = 0;\n"
     "  __syncthreads();\n  if (threadIdx.x == 0) {\n    x[i] = 7;\n    __threadfence_block();\n"
     "    atomicExch_block(&flag, 1);\n  }\n  if (threadIdx.x == 40) {\n"
     "    while (atomicAdd_block(&flag, 0) == 0) {}\n    __threadfence_block();\n    y[i] = "
     "x[i];\n  }",
     "", 64, 4},
    {"a word of each block that its threads count by atomics of the block",
     "  atomicAdd_block(&x[blockIdx.x], 1);\n  __syncthreads();\n  __threadfence();\n"
     "  if (threadIdx.x == 0 && atomicAdd(&x[100], 1) == 3)\n"
     "    for (int b = 0; b < 4; ++b) y[b] = x[b];",
     "", 64, 4},
    {"what a fence of the device tells is passed on in a block",
     "  if (threadIdx.x == 0 && blockIdx.x == 0) {\n    x[0] = 7;\n    __threadfence();\n"
     "    atomicExch(&x[512], 1);\n  }\n  if (blockIdx.x == 1 && threadIdx.x == 0) {\n"
     "    while (atomicAdd(&x[512], 0) == 0) {}\n    __threadfence_block();\n"
     "    atomicExch_block(&x[600], 1);\n  }\n  if (blockIdx.x == 1 && threadIdx.x == 40) {\n"
     "    while (atomicAdd_block(&x[600], 0) == 0) {}\n    y[0] = x[0];\n  }",
     "", 64, 2},
    {"an atomic object of a block",
     "  cuda::atomic_ref<int, cuda::thread_scope_block> flag(x[512 + blockIdx.x]);\n"
     "  int* mine = &x[64 * blockIdx.x];\n"
     "  if (threadIdx.x == 0) { mine[0] = 7; flag.store(1, cuda::memory_order_release); }\n"
     "  if (threadIdx.x == 40) {\n    while (flag.load(cuda::memory_order_acquire) == 0) {}\n"
     "    y[blockIdx.x] = mine[0];\n  }",
     "", 64, 2},
    {"bytes of one word",
     "  __shared__ unsigned char b[64];\n  int t = threadIdx.x;\n  b[t] = t;\n"
     "  __syncthreads();\n  y[t] = b[63 - t];",
     ""},
    {"a barrier in inline PTX",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t] + 1;\n"
     "  asm volatile(\"bar.sync 0;\" ::: \"memory\");\n  y[t] = s[63 - t];",
     ""},
    {"threads that end early",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  if (t >= 48) return;\n"
     "  s[t] = x[t];\n  __syncthreads();\n  y[t] = s[47 - t];",
     ""},
    {"a group of eight lanes",
     "  namespace cg = cooperative_groups;\n  __shared__ int s[64];\n"
     "  auto g = cg::tiled_partition<8>(cg::this_thread_block());\n  int t = threadIdx.x;\n"
     "  s[t] = x[t] + 1;\n  g.sync();\n  y[t] = s[t ^ 7];",
     ""},
    {"a barrier in memory",
     "  __shared__ cuda::barrier<cuda::thread_scope_block> b;\n  __shared__ int s[64];\n"
     "  int t = threadIdx.x;\n  if (t == 0) init(&b, 64);\n  __syncthreads();\n  s[t] = x[t] + 1;\n"
     "  b.arrive_and_wait();\n  y[t] = s[63 - t];",
     ""},
    {"__syncthreads_or",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t] + 1;\n"
     "  if (__syncthreads_or(x[t])) y[t] = s[63 - t];",
     ""},
    {"counters that wrap around",
     "  atomicInc((unsigned*)&y[0], gridDim.x - 1);\n  atomicDec((unsigned*)&y[1], 7);", "", 64, 4},
    {"a counter that its last block puts back",
     "  if (threadIdx.x == 0 && atomicInc((unsigned*)&y[0], gridDim.x) == gridDim.x - 1) y[0] = 0;",
     "", 64, 4},
    {"sums of halves", "  atomicAdd((__half*)y + threadIdx.x % 4, __float2half(1.0f));", "", 64, 4},
    {"a swap whose first guess is a plain read",
     "  unsigned long long* p = (unsigned long long*)y;\n  unsigned long long old = *p, seen;\n"
     "  do {\n    seen = old;\n    old = atomicCAS(p, seen, __double_as_longlong(1.0 + "
     "__longlong_as_double(seen)));\n  } while (seen != old);",
     "", 64, 4},
    {"a maximum by swaps",
     "  int old = y[0], v = threadIdx.x;\n  while (old < v) {\n    int seen = old;\n"
     "    old = atomicCAS(&y[0], seen, v);\n    if (old == seen) break;\n  }",
     "", 64, 4},
    {"a sum of floats by swaps, whose guess has another type",
     "  float* p = (float*)y;\n  float old = *p, seen;\n  do {\n    seen = old;\n"
     "    old = __int_as_float(atomicCAS((int*)p, __float_as_int(seen), __float_as_int(seen + "
     "1.0f)));\n  } while (__float_as_int(seen) != __float_as_int(old));",
     "", 64, 4},
    {"a sum of doubles by swaps, whose guess has another type",
     "  double* p = (double*)y;\n  double old = p[n / 64], seen;\n  do {\n    seen = old;\n"
     "    old = __longlong_as_double(atomicCAS((unsigned long long*)&p[n / 64],\n"
     "        __double_as_longlong(seen), __double_as_longlong(seen + 1.0)));\n"
     "  } while (__double_as_longlong(seen) != __double_as_longlong(old));",
     "", 64, 4},
    {"a maximum of floats by swaps, which may end before the first",
     "  float* p = (float*)y;\n  float old = *p, v = threadIdx.x;\n  if (old >= v) return;\n"
     "  int seen = __float_as_int(old), found;\n  do {\n    found = seen;\n"
     "    if (__int_as_float(found) >= v) break;\n"
     "    seen = atomicCAS((int*)p, found, __float_as_int(v));\n  } while (seen != found);",
     "", 64, 4},
    {"a maximum of floats in a function, by a loop that swaps while it is less",
     "  auto raise = [](float* p, float v) {\n    int* word = (int*)p;\n    int old = *word;\n"
     "    while (__int_as_float(old) < v) {\n      int seen = old;\n"
     "      old = atomicCAS(word, seen, __float_as_int(v));\n      if (old == seen) break;\n    }\n"
     "    return __int_as_float(old);\n  };\n"
     "  for (int i = 0; i < 4; ++i) raise((float*)y + i, threadIdx.x + i);",
     "", 64, 4},
    {"a swap by an address that is computed twice",
     "  int old = y[x[threadIdx.x] & 7], seen;\n  do {\n    seen = old;\n"
     "    __threadfence();\n    old = atomicCAS(&y[x[threadIdx.x] & 7], seen, seen + 1);\n"
     "  } while (seen != old);",
     "", 64, 4},
    {"a read before each swap",
     "  int old, next;\n  do {\n    old = y[0];\n    if (old < 40) next = old + 3;\n"
     "    else next = old / 2;\n  } while (atomicCAS(&y[0], old, next) != old);",
     "", 64, 4},
    {"one try to swap",
     "  int old = y[0];\n  if (old < 40) {\n    if (atomicCAS(&y[0], old, old + 1) == old)\n"
     "      y[1 + threadIdx.x + 64 * blockIdx.x] = 7;\n  }",
     "", 64, 4},
    {"a sum of halves by swaps of their words",
     "  unsigned* p = (unsigned*)y;\n  unsigned old = *p, seen, part = threadIdx.x % 2 * 16;\n"
     "  do {\n    seen = old;\n    unsigned short h = (seen >> part) + 1;\n"
     "    old = atomicCAS(p, seen, (seen & ~(0xffffu << part)) | (unsigned)h << part);\n"
     "  } while (seen != old);",
     "", 64, 4},
    {"an atomic maximum", "  atomicMax(&y[threadIdx.x % 4], x[threadIdx.x]);", "", 64, 4},
};

/// Warp operations that lanes of one mask call at different places, which is defined since Volta,
/// or at one place in different rounds of a loop.
constexpr RaceCase kMeetings[] = {
    {"a shuffle in two branches",
     "  int v = threadIdx.x;\n  if (v < 16)\n    y[v] = __shfl_xor_sync(~0u, v, 16);\n  else\n"
     "    y[v] = __shfl_xor_sync(~0u, 2 * v, 16);",
     "", 32},
    {"votes in two branches",
     "  int v = threadIdx.x;\n  if (v % 3)\n    y[v] = __ballot_sync(~0u, v & 1);\n  else\n"
     "    y[v] = __ballot_sync(~0u, v & 2);",
     "", 32},
    {"reductions of two masks in two branches",
     "  int v = threadIdx.x;\n  if (v < 16)\n    y[v] = __reduce_add_sync(0xffffu, v);\n  else\n"
     "    y[v] = __reduce_add_sync(0xffff0000u, v);",
     "", 32},
    {"a reduction in different rounds of a loop",
     "  int v = threadIdx.x, a = 0;\n  for (int i = 0; i < 4; ++i) {\n    if (i % 2 == v % 2) "
     "continue;\n    a += __reduce_add_sync(~0u, v + i);\n  }\n  y[v] = a;",
     "", 32},
    {"a reduction when some lanes have ended",
     "  int v = threadIdx.x;\n  if (v >= 20) return;\n  y[v] = __reduce_add_sync(~0u, v);", "", 32},
    {"a reduction of the lanes that are here",
     "  int v = threadIdx.x;\n  if (v % 3 == 0)\n    y[v] = __reduce_add_sync(__activemask(), v);\n"
     "  else\n    y[v] = __reduce_add_sync(__activemask(), 1);",
     "", 32},
};

}  // namespace

TEST_SUITE("device.cpu.races") {
  TEST_CASE("warp operations that a GPU defines are no mistakes") {
    for (const RaceCase& c : kMeetings) {
      INFO(std::string(c.name));
      CHECK(records_of(c).empty());
    }
  }

  TEST_CASE("accesses that something orders are no races") {
    check_races(kOrdered);
  }
}

}  // namespace ws::test
