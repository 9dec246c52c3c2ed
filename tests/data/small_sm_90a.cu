// The source of small_sm_90a.cubin, which tests read where no CUDA toolkit is:
//
//   nvcc -cubin -arch=sm_90a -o small_sm_90a.cubin small_sm_90a.cu      (CUDA 13.0)
__constant__ int c[4];
__device__ int d;

__global__ void k(float* values, int n) {
  if (threadIdx.x < n) {
    values[threadIdx.x] = 1.0f;
  }
}

__global__ __launch_bounds__(64) void j(float* values) {
  __shared__ float tile[8];
  tile[threadIdx.x % 8] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[(threadIdx.x + 1) % 8] + c[threadIdx.x % 4] + d;
}
