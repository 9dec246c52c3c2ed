// The kernels that cpu_engine.cpp times against plain loops (loops.cpp).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}

template <int TILE>
__device__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled16(const float* a, const float* b, float* c, int n) {
  matmul_tiled<16>(a, b, c, n);
}

extern "C" __global__ void matmul_tiled32(const float* a, const float* b, float* c, int n) {
  matmul_tiled<32>(a, b, c, n);
}

extern "C" __global__ void transpose_tiled(const float* a, float* c, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) c[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffff, v, offset);
  return v;
}

__device__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) {
    v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
  }
  return v;
}

extern "C" __global__ void softmax_warp(const float* a, float* c, int rows, int columns) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float most = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) most = fmaxf(most, a[row * columns + i]);
  most = warp_max(most);
  for (int i = lane; i < columns; i += 32) sum += expf(a[row * columns + i] - most);
  sum = warp_sum(sum);
  for (int i = lane; i < columns; i += 32) {
    c[row * columns + i] = expf(a[row * columns + i] - most) / sum;
  }
}

/// Of all threads of a block of up to 1024.
__device__ float block_sum(float v, float* scratch) {
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? scratch[threadIdx.x] : 0.0f;
    v = warp_sum(v);
    if (threadIdx.x == 0) scratch[0] = v;
  }
  __syncthreads();
  v = scratch[0];
  __syncthreads();
  return v;
}

__device__ float block_max(float v, float* scratch) {
  v = warp_max(v);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? scratch[threadIdx.x] : -INFINITY;
    v = warp_max(v);
    if (threadIdx.x == 0) scratch[0] = v;
  }
  __syncthreads();
  v = scratch[0];
  __syncthreads();
  return v;
}

extern "C" __global__ void softmax_block(const float* a, float* c, int rows, int columns) {
  __shared__ float scratch[32];
  const float* from = a + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, from[i]);
  most = block_max(most, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(from[i] - most);
  sum = block_sum(sum, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    c[blockIdx.x * columns + i] = expf(from[i] - most) / sum;
  }
}

/// The last step of a sum: one block, which adds up the sums of the others.
extern "C" __global__ void sum_of_sums(float* c, int n) {
  __shared__ float scratch[32];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += c[i];
  sum = block_sum(sum, scratch);
  if (threadIdx.x == 0) c[0] = sum;
}

/// Each block one partial sum, one element for each thread.
extern "C" __global__ void sum_shuffle(const float* a, float* c, int n) {
  __shared__ float scratch[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = block_sum(i < n ? a[i] : 0.0f, scratch);
  if (threadIdx.x == 0) c[blockIdx.x] = v;
}

/// The same in shared memory alone.
extern "C" __global__ void sum_shared(const float* a, float* c, int n) {
  __shared__ float values[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? a[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) c[blockIdx.x] = values[0];
}

extern "C" __global__ void layernorm_warp(const float* a, float* c, int rows, int columns) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  const float* from = a + row * columns;
  float sum = 0, squares = 0;
  for (int i = warp.thread_rank(); i < columns; i += 32) sum += from[i];
  float mean = cg::reduce(warp, sum, cg::plus<float>()) / columns;
  for (int i = warp.thread_rank(); i < columns; i += 32) {
    squares += (from[i] - mean) * (from[i] - mean);
  }
  float scale = rsqrtf(cg::reduce(warp, squares, cg::plus<float>()) / columns + 1e-5f);
  for (int i = warp.thread_rank(); i < columns; i += 32) {
    c[row * columns + i] = (from[i] - mean) * scale;
  }
}

extern "C" __global__ void layernorm_block(const float* a, float* c, int rows, int columns) {
  __shared__ float scratch[32];
  const float* from = a + blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += from[i];
  float mean = block_sum(sum, scratch) / columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    squares += (from[i] - mean) * (from[i] - mean);
  }
  float scale = rsqrtf(block_sum(squares, scratch) / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    c[blockIdx.x * columns + i] = (from[i] - mean) * scale;
  }
}
