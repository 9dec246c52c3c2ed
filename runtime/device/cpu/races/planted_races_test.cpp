// Mistakes that a watched launch must find, with the lines of both accesses.
#include <doctest/doctest.h>

#include "runtime/device/cpu/races/test_races.h"

namespace ws::test {
namespace {

constexpr RaceCase kPlanted[] = {
    {"a neighbour's word without a barrier",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = x[t];\n  y[t] = s[63 - t];",
     "write 4 read 5 block"},
    {"a neighbour in the same warp",
     "  __shared__ int s[32];\n  int t = threadIdx.x;\n  s[t] = x[t];\n  y[t] = s[31 - t];",
     "write 4 read 5 warp", 32},
    {"a tile that is overwritten while others read it",
     "  __shared__ int s[64];\n  int t = threadIdx.x, a = 0;\n  for (int i = 0; i < 3; ++i) {\n"
     "    s[t] = x[i * 64 + t] + i;\n    __syncthreads();\n    a += s[63 - t];\n  }\n  y[t] = a;",
     "write 5 read 7 block"},
    {"a tree without barriers",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n  __syncthreads();\n"
     "  for (int o = 32; o > 0; o /= 2)\n    if (t < o) s[t] += s[t + o];\n  if (t == 0) y[0] = "
     "s[0];",
     "write 7 read 7 warp"},
    {"a tree whose last steps lack __syncwarp",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n  __syncthreads();\n"
     "  if (t < 32) {\n    s[t] += s[t + 32];\n    if (t < 16) s[t] += s[t + 16];\n  }\n"
     "  __syncthreads();\n  y[t] = s[0];",
     "write 7 read 8 warp"},
    {"a sum of all threads without an atomic", "  x[n] += threadIdx.x + 1;",
     "write 2 read 2 block, write 2 write 2 block"},
    {"a sum of all blocks without an atomic",
     "  if (threadIdx.x == 0)\n    x[0] += blockIdx.x + 1;",
     "write 3 read 3 grid, write 3 write 3 grid", 64, 4},
    {"a block that reads what another one writes",
     "  int i = blockIdx.x * 64 + threadIdx.x;\n  x[i] = i + 1;\n  y[i] = x[(i + 64) % 256];",
     "write 3 read 4 grid", 64, 4},
    {"blocks that write the same element", "  y[threadIdx.x] = blockIdx.x + 1;",
     "write 2 write 2 grid", 64, 4},
    {"an atomic beside a plain read", "  atomicAdd(&x[0], 1);\n  y[threadIdx.x] = x[0];",
     "write 2 read 3 warp", 32},
    {"a plain read that is more than a guess",
     "  int old = x[0];\n  atomicCAS(&x[0], old, old + 1);\n  y[threadIdx.x] = old;",
     "write 3 read 2 warp", 32},
    {"a float that is more than a guess",
     "  float* p = (float*)x;\n  float old = *p;\n"
     "  atomicCAS((int*)p, __float_as_int(old), __float_as_int(old + 1.0f));\n"
     "  y[threadIdx.x] = old;",
     "write 4 read 3 warp", 32},
    {"a guess that decides what is written before the swap",
     "  int old = x[0];\n  if (old % 2) y[threadIdx.x] = 5;\n  atomicCAS(&x[0], old, old + 1);",
     "write 4 read 2 warp", 32},
    {"a guess of another word than the swap's",
     "  int old = x[1], seen;\n  do {\n    seen = old;\n"
     "    old = atomicCAS(&x[0], seen, seen + 1);\n  } while (seen != old);\n  atomicAdd(&x[1], "
     "1);",
     "write 7 read 2 warp", 32},
    {"an index that is read plainly before a swap",
     "  int old = x[0];\n  y[64 + old % 8 + 8 * threadIdx.x] = 1;\n  atomicCAS(&x[0], old, old + "
     "1);",
     "write 4 read 2 warp", 32},
    {"a counter that is cleared while others count",
     "  __shared__ int c;\n  if (threadIdx.x == 0) c = 5;\n  atomicAdd(&c, 1);\n  "
     "__syncthreads();\n"
     "  if (threadIdx.x == 0) y[0] = c;",
     "write 3 write 4 block"},
    {"a flag without a fence",
     "  if (blockIdx.x == 0) {\n    x[threadIdx.x] = 7 + threadIdx.x;\n    __syncthreads();\n"
     "    if (threadIdx.x == 0) atomicExch(&x[512], 1);\n  } else {\n"
     "    if (threadIdx.x == 0) while (atomicAdd(&x[512], 0) == 0) {}\n    __syncthreads();\n"
     "    y[threadIdx.x] = x[threadIdx.x];\n  }",
     "write 3 read 9 grid", 64, 2},
    {"a ticket without a fence",
     "  __shared__ int last;\n  x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + 3;\n"
     "  __syncthreads();\n  if (threadIdx.x == 0) last = atomicAdd(&x[1000], 1) == 3;\n"
     "  __syncthreads();\n  if (last) y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 64];",
     "write 3 read 7 grid, write 3 read 7 grid", 64, 4},
    {"a ticket without a barrier before it",
     "  __shared__ int last;\n  x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + 3;\n"
     "  __threadfence();\n  if (threadIdx.x == 0) last = atomicAdd(&x[1000], 1) == 3;\n"
     "  __syncthreads();\n  if (last) y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 64];",
     "write 3 read 7 grid, write 3 read 7 grid", 64, 4},
    {"inline PTX that writes what others read",
     "  int t = threadIdx.x;\n  asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(x + t), \"r\"(t "
     "+ 1)"
     " : \"memory\");\n  int v;\n  asm volatile(\"ld.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(x "
     "+ (t ^ "
     "32)) : \"memory\");\n  y[t] = v;",
     "write 3 read 5 block"},
    {"a broadcast that is read too early",
     "  __shared__ int s;\n  if (threadIdx.x == 0) s = x[0] + 9;\n  y[threadIdx.x] = s;",
     "write 3 read 4 block"},
    {"a broadcast that is overwritten too early",
     "  __shared__ int s;\n  for (int i = 0; i < 3; ++i) {\n    if (threadIdx.x == 0) s = i + 4;\n"
     "    __syncthreads();\n    y[threadIdx.x] += s;\n  }",
     "write 4 read 6 block"},
    {"a prefix sum in place",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n"
     "  for (int o = 1; o < 64; o *= 2) {\n    __syncthreads();\n    if (t >= o) s[t] += s[t - "
     "o];\n"
     "  }\n  y[t] = s[t];",
     "write 7 read 7 block"},
    {"a transposition in place in global memory",
     "  int r = threadIdx.x / 8, c = threadIdx.x % 8;\n  x[r * 8 + c] = x[c * 8 + r] + 1;",
     "write 3 read 3 block"},
    {"a stencil in place",
     "  int t = threadIdx.x;\n  if (t > 0 && t < 63) x[t] = x[t - 1] + x[t + 1] + 1;",
     "write 3 read 3 block, write 3 read 3 block"},
    {"bytes of one word are not the mistake, words are",
     "  __shared__ unsigned char b[64];\n  int t = threadIdx.x;\n  b[t] = t;\n"
     "  y[t] = ((int*)b)[t / 4];",
     "write 4 read 5 warp", 32},
    {"half of a warp meets, the other half is read",
     "  __shared__ int s[32];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n"
     "  if (t < 16) {\n    __syncwarp(0xffff);\n    y[t] = s[t + 16];\n  }",
     "write 4 read 7 warp", 32},
    {"a flag that is told by an atomic of its block",
     "  if (blockIdx.x == 0) {\n    x[threadIdx.x] = 7 + threadIdx.x;\n    __threadfence();\n"
     "    __syncthreads();\n    if (threadIdx.x == 0) atomicExch_block(&x[512], 1);\n  } else {\n"
     "    if (threadIdx.x == 0) while (atomicAdd(&x[512], 0) == 0) {}\n    __syncthreads();\n"
     "    y[threadIdx.x] = x[threadIdx.x];\n  }",
     "write 3 read 10 grid, write 6 write 8 grid", 64, 2},
    {"a flag behind a fence of its block",
     "  if (blockIdx.x == 0) {\n    x[threadIdx.x] = 7 + threadIdx.x;\n    __threadfence_block();\n"
     "    __syncthreads();\n    if (threadIdx.x == 0) atomicExch(&x[512], 1);\n  } else {\n"
     "    if (threadIdx.x == 0) while (atomicAdd(&x[512], 0) == 0) {}\n    __syncthreads();\n"
     "    y[threadIdx.x] = x[threadIdx.x];\n  }",
     "write 3 read 10 grid", 64, 2},
    {"a count of all blocks by atomics of each", "  atomicAdd_block(&y[0], 1);",
     "write 2 write 2 grid", 64, 4},
    {"a count of all blocks by counters of each", "  atomicInc_block((unsigned*)&y[0], 7);",
     "write 2 write 2 grid", 64, 4},
    {"a store with release in a block, for another one",
     "  cuda::atomic_ref<int, cuda::thread_scope_block> flag(x[512]);\n  if (blockIdx.x == 0) {\n"
     "    if (threadIdx.x == 0) { x[0] = 7; flag.store(1, cuda::memory_order_release); }\n"
     "  } else if (threadIdx.x == 0) {\n    while (flag.load(cuda::memory_order_acquire) == 0) {}\n"
     "    y[0] = x[0];\n  }",
     "write 4 read 6 grid, write 4 read 7 grid", 64, 2},
    {"inline PTX whose fence and atomic are of a block",
     "  if (blockIdx.x == 0) {\n    if (threadIdx.x == 0) { x[0] = 7;\n"
     "      asm volatile(\"fence.acq_rel.cta;\" ::: \"memory\");\n"
     "      atomicExch(&x[512], 1);\n    }\n  } else if (threadIdx.x == 0) {\n"
     "    while (atomicAdd(&x[512], 0) == 0) {}\n    y[0] = x[0];\n  }",
     "write 3 read 9 grid", 64, 2},
    {"a shuffle in the place of __syncwarp",
     "  __shared__ int s[32];\n  int t = threadIdx.x;\n  s[t] = t + 1;\n"
     "  int v = __shfl_xor_sync(0xffffffffu, t, 1);\n  y[t] = s[v];",
     "write 4 read 6 warp", 32},
};

SanitizerRecord only_record_of(const RaceCase& c) {
  const std::vector<SanitizerRecord> records = records_of(c);
  REQUIRE(records.size() == 1);
  return records.front();
}

}  // namespace

TEST_SUITE("device.cpu.races") {
  TEST_CASE("accesses that nothing orders are found with their lines") {
    check_races(kPlanted);
  }

  TEST_CASE("reads of memory that nobody wrote are found") {
    const RaceCase c{"half of an array",
                     "  __shared__ int s[64];\n  if (threadIdx.x < 32) s[threadIdx.x] = 1;\n"
                     "  __syncthreads();\n  y[threadIdx.x] = s[threadIdx.x];",
                     "read 5 unwritten"};
    CHECK(races_of(c, SanitizerRecord::Kind::kUninitialised) == c.want);
    const SanitizerRecord record = only_record_of(c);
    CHECK(record.variable == "s");
    CHECK(record.offset >= 4 * 32);
    CHECK(record.count == 32);
  }

  TEST_CASE("lanes of one mask that reduce in different calls are found") {
    struct Apart {
      RaceCase c;
      int line;  ///< Thread 0's.
      int other_line;
      std::uint32_t other_thread;
    };

    for (const Apart& apart :
         {Apart{{"branches",
                 "  int v = threadIdx.x;\n  if (v % 2)\n    y[v] = __reduce_add_sync(~0u, v);\n"
                 "  else\n    y[v] = __reduce_add_sync(~0u, 1000);",
                 "", 32},
                6,
                4,
                1},
          Apart{{"a loop that some lanes have left",
                 "  int v = threadIdx.x, a = 0;\n  for (int i = v; i < 40; i += 32)\n"
                 "    a += __reduce_add_sync(~0u, i);\n  y[v] = __reduce_add_sync(~0u, a);",
                 "", 32},
                4,
                5,
                8}}) {
      INFO(std::string(apart.c.name));
      const SanitizerRecord record = only_record_of(apart.c);
      CHECK(record.kind == SanitizerRecord::Kind::kOther);
      CHECK(record.text == "lanes that one mask names are in different calls of a warp reduction");
      CHECK(record.at.line == apart.line);
      CHECK(record.thread == std::array<std::uint32_t, 3>{0, 0, 0});
      REQUIRE(record.other);
      CHECK(record.other->line == apart.other_line);
      CHECK(record.other_thread == std::array<std::uint32_t, 3>{apart.other_thread, 0, 0});
    }
  }

  TEST_CASE("a mask that lacks the calling lane is found") {
    const RaceCase c{"a mask of half a warp",
                     "  int v = threadIdx.x;\n  y[threadIdx.x] = __shfl_xor_sync(0xffffu, v, 1);",
                     "", 32};
    const SanitizerRecord record = only_record_of(c);
    CHECK(record.kind == SanitizerRecord::Kind::kOther);
    CHECK(record.text == "the mask of a warp operation lacks the lane that calls it");
    CHECK(record.at.line == 3);
    CHECK(record.thread == std::array<std::uint32_t, 3>{16, 0, 0});
    CHECK(record.count == 16);
  }
}

}  // namespace ws::test
