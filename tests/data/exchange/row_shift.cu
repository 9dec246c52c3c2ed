#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void row_sums(const float* x, float* sums, int hidden) {
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) atomicAdd(&sums[blockIdx.x], x[blockIdx.x * hidden + i]);
}

__global__ void shift(const float* x, const float* sums, float* y, int hidden, float half) {
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    y[blockIdx.x * hidden + i] = x[blockIdx.x * hidden + i] - half * sums[blockIdx.x];
  }
}

torch::Tensor run(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must lie on a GPU");
  x = x.contiguous();
  const int rows = x.size(0), hidden = x.sizes()[1];
  auto sums = torch::zeros({rows}, x.options());
  auto y = torch::empty_like(x);
  const dim3 block(64);
  auto stream = at::cuda::getCurrentCUDAStream();
  row_sums<<<rows, block, 0, stream>>>(x.data_ptr<float>(), sums.data_ptr<float>(), hidden);
  shift<<<dim3(rows, 1, 1), block, 0, stream>>>(x.data_ptr<float>(), sums.data_ptr<float>(), y.data_ptr<float>(), hidden, 0.5f);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("run", &run);
}
