// Reductions within a warp and across the warps of a block. CUDA and HIP, and the CPU engine.
//
// All threads of the warp, or of the block, must call; the block has whole warps, at most 32.
#pragma once

namespace ws {

// Every lane gets the sum. @param value  A lane without elements brings 0.
__device__ __forceinline__ float warp_sum(float value) {
#ifdef __HIP_PLATFORM_AMD__
  for (int d = warpSize / 2; d > 0; d /= 2) value += __shfl_xor(value, d);
#else
#pragma unroll
  for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffffu, value, d);
#endif
  return value;
}

// Every lane gets the maximum. @param value  A lane without elements brings -INFINITY.
__device__ __forceinline__ float warp_max(float value) {
#ifdef __HIP_PLATFORM_AMD__
  for (int d = warpSize / 2; d > 0; d /= 2) value = fmaxf(value, __shfl_xor(value, d));
#else
#pragma unroll
  for (int d = 16; d > 0; d /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, d));
#endif
  return value;
}

// The number of the calling thread in its block; x counts first, as warps are formed.
__device__ __forceinline__ int thread_number() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ int warps_of_block() {
  return (blockDim.x * blockDim.y * blockDim.z + warpSize - 1) / warpSize;
}

// Every thread gets the sum over the block.
// @param partial  Shared, 32 floats. May be used again at once: the first barrier waits for those
//                 that still read it.
__device__ __forceinline__ float block_sum(float value, float* partial) {
  const int lane = thread_number() % warpSize;
  value = warp_sum(value);
  __syncthreads();
  if (lane == 0) partial[thread_number() / warpSize] = value;
  __syncthreads();
  return warp_sum(lane < warps_of_block() ? partial[lane] : 0.0f);
}

// The same for the maximum; `lowest` is what a lane without a warp brings: -INFINITY.
__device__ __forceinline__ float block_max(float value, float* partial, float lowest) {
  const int lane = thread_number() % warpSize;
  value = warp_max(value);
  __syncthreads();
  if (lane == 0) partial[thread_number() / warpSize] = value;
  __syncthreads();
  return warp_max(lane < warps_of_block() ? partial[lane] : lowest);
}

}  // namespace ws
