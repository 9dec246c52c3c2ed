#include <cuda.h>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include "ws_wgmma.cuh"

// C = A B^T by blocks that take one tile after the other: a thread of one warpgroup fills a ring by TMA,
// two warpgroups multiply. Barriers in C++, tiles without rows, a schedule with functions of its own.
namespace ring {

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int BM = 128, BN = 128, BK = 64, STAGES = 3, BLOCKS = 3, CONSUMERS = 256;

class Tiles {
 public:
  __device__ Tiles(int rows, int columns, int first) : place(first) {
    across = columns / BN;
    all = rows / BM * across;
  }
  __device__ bool next(int& row, int& column) {
    if (place >= all) {
      return false;
    }
    row = place / across * BM;
    column = place % across * BN;
    place += BLOCKS;
    return true;
  }

 private:
  int place, across, all;
};

struct Memory {
  alignas(1024) half A[STAGES * BM * BK];
  alignas(1024) half B[STAGES * BN * BK];
};

__global__ __launch_bounds__(384) void gemm(const __grid_constant__ CUtensorMap tmA,
                                            const __grid_constant__ CUtensorMap tmB, half* C, int m, int n,
                                            int k) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Memory& memory = *reinterpret_cast<Memory*>(bytes);
  __shared__ barrier full[STAGES], empty[STAGES];
  int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init(&full[i], CONSUMERS + 1);
      init(&empty[i], CONSUMERS + 1);
    }
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Tiles tiles(m, n, blockIdx.x);
  int row, column, stage = 0;
  if (group == 0) {
    if (threadIdx.x == 0) {
      while (tiles.next(row, column)) {
        for (int i = 0; i < k / BK; ++i, ++stage) {
          if (stage == STAGES) stage = 0;
          empty[stage].wait(empty[stage].arrive());
          cde::cp_async_bulk_tensor_2d_global_to_shared(memory.A + stage * BM * BK, &tmA, i * BK, row,
                                                        full[stage]);
          cde::cp_async_bulk_tensor_2d_global_to_shared(memory.B + stage * BN * BK, &tmB, i * BK, column,
                                                        full[stage]);
          barrier::arrival_token unread =
              cuda::device::barrier_arrive_tx(full[stage], 1, (BM + BN) * BK * sizeof(half));
        }
      }
    }
  } else {
    --group;
    for (int i = 0; i < STAGES; ++i) {
      barrier::arrival_token unread = empty[i].arrive();
    }
    float d[1][64];
    while (tiles.next(row, column)) {
      memset(d, 0, sizeof(d));
      for (int i = 0; i < k / BK; ++i, ++stage) {
        if (stage == STAGES) stage = 0;
        full[stage].arrive_and_wait();
        half* a = memory.A + stage * BM * BK + group * 64 * BK;
        half* b = memory.B + stage * BN * BK;
        ws::wgmma_fence();
        for (int step = 0; step < BK; step += 16) {
          ws::wgmma_64x128x16(d[0], ws::wgmma_tile(a), ws::wgmma_tile(b), 1);
          a += 16;
          b += 16;
        }
        ws::wgmma_commit();
        ws::wgmma_wait<0>();
        barrier::arrival_token unread = empty[stage].arrive();
      }
      const int lane = threadIdx.x % 32;
      half* to = C + (row + group * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4) * n + column + lane % 4 * 2;
      for (int j = 0; j < BN / 16; ++j) {
        for (int e = 0; e < 8; ++e) {
          to[e / 2 % 2 * 8 * n + j * 16 + e / 4 * 8 + e % 2] = __float2half(d[0][j * 8 + e]);
        }
      }
    }
  }
}

}  // namespace ring
