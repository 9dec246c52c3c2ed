// The helper files for copies and barriers, on a GPU.
#include <doctest/doctest.h>

#include "tests/support/gpu_helpers.h"

namespace ws::test {
namespace {

/// Every block has 32 rows; two rows of four by pieces of 16 bytes, two numbers of three by 4
/// bytes.
constexpr const char* kCopy = R"cu(
#include "ws_cp_async.cuh"
__global__ void f(const int* in, int* out) {
  __shared__ __align__(16) int pieces[1024], words[1024];
  const int t = threadIdx.x;
  in += blockIdx.x * 1024;
  ws::cp_async_16(&pieces[t * 4], in + t * 4, t / 8 % 4 < 2);
  ws::cp_async_commit();
  for (int i = t; i < 1024; i += 256) ws::cp_async_4(&words[i], in + i, i % 3 != 0);
  ws::cp_async_commit();
  ws::cp_async_wait<1>();
  __syncthreads();
  int got[4];
  for (int i = 0; i < 4; ++i) got[i] = 1000 * pieces[i * 256 + t];
  ws::cp_async_wait<0>();
  __syncthreads();
  for (int i = 0; i < 4; ++i) out[blockIdx.x * 1024 + i * 256 + t] = got[i] + words[i * 256 + t];
}
)cu";

int copied(std::span<const int> in, int i) {
  const int row = i / 32;
  return (row % 4 < 2 ? 1000 * in[i] : 0) + (i % 1024 % 3 != 0 ? in[i] : 0);
}

/// One warp hands 32 rows to another one through two stages.
constexpr const char* kRing = R"cu(
#include "ws_mbarrier.cuh"
__global__ void f(const int* in, int* out) {
  __shared__ int stage[2][32];
  __shared__ __align__(8) unsigned long long full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      ws::mbarrier_init(&full[i], 33);
      ws::mbarrier_init(&empty[i], 32);
    }
    ws::fence_barrier_init();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int r = 0; r < 32; ++r) {
    const int s = r % 2, phase = r / 2 % 2, at = (blockIdx.x * 32 + r) * 32 + lane;
    if (threadIdx.x < 32) {
      ws::mbarrier_wait(&empty[s], phase ^ 1);
      stage[s][lane] = in[at];
      if (lane == 0) ws::mbarrier_arrive_expect(&full[s], 0);
      ws::mbarrier_arrive(&full[s]);
    } else {
      ws::mbarrier_wait(&full[s], phase);
      out[at] = stage[s][lane] + 1;
      ws::mbarrier_arrive(&empty[s]);
    }
  }
}
)cu";

int one_more(std::span<const int> in, int i) {
  return in[i] + 1;
}

/// Each block of a pair goes on when the other one says so.
constexpr const char* kRemote = R"cu(
#include "ws_tma.cuh"
__global__ void f(const int* in, int* out) {
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    ws::mbarrier_init(&bar, 32);
    ws::fence_barrier_init();
  }
  ws::cluster_sync();
  ws::mbarrier_arrive_remote(&bar, ws::cluster_block() ^ 1);
  ws::mbarrier_wait(&bar, 0);
  const int at = blockIdx.x * 32 + threadIdx.x;
  out[at] = in[at] + (ws::cluster_block() == blockIdx.x % 2 ? 1 : 9);
  ws::cluster_sync();
}
)cu";

/// Boxes of 8 rows, in by three dimensions and out by two.
constexpr const char* kBoxes = R"cu(
#include <cuda.h>
#include "ws_tma.cuh"
__global__ void f(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ __align__(128) int tile[256];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    ws::tma_prefetch(&from);
    ws::mbarrier_init(&bar, 1);
    ws::fence_async_shared();
    ws::mbarrier_arrive_expect(&bar, sizeof(tile));
    ws::tma_load_3d(tile, &from, &bar, 0, 0, blockIdx.x);
  }
  __syncthreads();
  ws::mbarrier_wait(&bar, 0);
  tile[threadIdx.x] += 1;
  ws::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    ws::tma_store_2d(&to, tile, 0, blockIdx.x * 8);
    ws::tma_store_commit();
    ws::tma_store_wait_read<0>();
  }
}
)cu";

/// Each block of a pair loads 8 rows for both.
constexpr const char* kMulticast = R"cu(
#include <cuda.h>
#include "ws_tma.cuh"
__global__ void f(const __grid_constant__ CUtensorMap from, int* out) {
  __shared__ __align__(128) int tile[2][256];
  __shared__ __align__(8) unsigned long long bar;
  const int rank = ws::cluster_block();
  if (threadIdx.x == 0) {
    ws::mbarrier_init(&bar, 1);
    ws::fence_barrier_init();
    ws::mbarrier_arrive_expect(&bar, sizeof(tile));
  }
  ws::cluster_sync();
  if (threadIdx.x == 0) ws::tma_load_2d_multicast(tile[rank], &from, &bar, 0, blockIdx.x * 8, 3);
  ws::mbarrier_wait(&bar, 0);
  out[blockIdx.x * 256 + threadIdx.x] = tile[rank][threadIdx.x] + tile[rank ^ 1][threadIdx.x];
  ws::cluster_sync();
}
)cu";

int with_the_pair(std::span<const int> in, int i) {
  return in[i] + in[i ^ 256];
}

const GpuHelper kHelpers[] = {
    {{"cp.async, both widths, zeros outside", kCopy,
      R"({"launches": [{"entry": "f", "grid": ["rows // 32"], "block": [256], "args": ["A", "B"]}]})"},
     copied},
    {{"mbarrier, 16 phases of two stages", kRing,
      R"({"launches": [{"entry": "f", "grid": ["rows // 32"], "block": [64], "args": ["A", "B"]}]})"},
     one_more},
    {{"an arrival at another block's mbarrier", kRemote,
      R"({"launches": [{"entry": "f", "grid": ["rows"], "block": [32], "cluster": [2],
                        "args": ["A", "B"]}]})"},
     one_more},
    {{"TMA in three dimensions, and a store", kBoxes,
      R"({"tensor_maps": [{"name": "from", "of": "A", "shape": [32, 8, "rows // 8"],
                           "strides": [128, 1024], "box": [32, 8, 1]},
                          {"name": "to", "of": "B", "box": [32, 8]}],
          "launches": [{"entry": "f", "grid": ["rows // 8"], "block": [256],
                        "args": ["from", "to"]}]})"},
     one_more},
    {{"TMA to both blocks of a cluster", kMulticast,
      R"({"tensor_maps": [{"name": "from", "of": "A", "box": [32, 8]}],
          "launches": [{"entry": "f", "grid": ["rows // 8"], "block": [256], "cluster": [2],
                        "args": ["from", "B"]}]})"},
     with_the_pair},
};

}  // namespace

TEST_SUITE("gpu.helpers") {
  TEST_CASE("copies and barriers compile for a GPU that has what they need") {
    helpers_compile(kHelpers);
  }

  TEST_CASE("copies and barriers do on a GPU what their comments say") {
    helpers_compute(kHelpers);
  }
}

}  // namespace ws::test
