import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

threads = "256"

cuda_text = """
#include <torch/extension.h>

constexpr int kThreads = """ + threads + """;

__global__ void bias_relu(const float* __restrict__ x, const float* __restrict__ shift, float* __restrict__ out,
                          int count, int features) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) out[i] = fmaxf(x[i] + shift[i % features], 0.0f);
}

torch::Tensor bias_relu_forward(torch::Tensor x, torch::Tensor shift) {
  TORCH_CHECK(x.is_cuda(), "x must lie on a GPU");
  auto result = torch::empty_like(x);
  const int count = x.numel();
  bias_relu<<<(count + kThreads - 1) / kThreads, kThreads>>>(
      x.data_ptr<float>(), shift.data_ptr<float>(), result.data_ptr<float>(), count, x.size(1));
  return result;
}
"""

loaded = load_inline(
    name="bias_relu",
    cpp_sources="torch::Tensor bias_relu_forward(torch::Tensor x, torch::Tensor shift);",
    cuda_sources=cuda_text,
    functions=["bias_relu_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(features))
        self.loaded = loaded

    def forward(self, x):
        x = x.contiguous()
        return self.loaded.bias_relu_forward(x, self.shift)
