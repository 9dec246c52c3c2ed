// Adds a bias to each element and cuts the sum off at a limit; each thread does work_per_thread elements.
extern "C" __global__ void clamp_bias(float* out, const float* in, const float* bias, float limit, int n) {
  const int first = (blockIdx.x * block_size_x + threadIdx.x) * work_per_thread;
#pragma unroll
  for (int i = 0; i < work_per_thread; ++i) {
    if (first + i < n) {
      const float sum = in[first + i] + bias[0];
      out[first + i] = sum > limit ? limit : sum;
    }
  }
}
