// Compiled by hiprtc 5.2 for gfx90a, with -O3, to small_gfx90a.co.
__constant__ float c[4];
__device__ int d = 3;

extern "C" __global__ __launch_bounds__(64) void j(float* x) {
  __shared__ float s[8];
  s[threadIdx.x % 8] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[7 - threadIdx.x % 8] * c[threadIdx.x % 4];
}

__global__ void k(float* x, int n) {
  float a[64];
  for (int i = 0; i < 64; ++i) {
    a[i] = x[i * n];
  }
  x[threadIdx.x] = a[(n + d) % 64];
}
