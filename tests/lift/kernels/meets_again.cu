#include <cuda.h>
#include <cuda/barrier>

// One thread starts a copy and arrives, the others arrive; then all wait, work, and meet once more.
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

__global__ void doubled(const __grid_constant__ CUtensorMap tmX,
                        const __grid_constant__ CUtensorMap tmY) {
  alignas(128) __shared__ float tile[4][64];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, 256);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &tmX, 0, blockIdx.x * 4, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  bar.wait(static_cast<barrier::arrival_token&&>(token));
  tile[threadIdx.x / 64][threadIdx.x % 64] = 2 * tile[threadIdx.x / 64][threadIdx.x % 64];
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&tmY, 0, blockIdx.x * 4, tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}
