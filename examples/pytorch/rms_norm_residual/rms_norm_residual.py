import torch
import torch.nn as nn

tokens = 2048
width = 4096


class Model(nn.Module):
    """RMSNorm of a sum, which the next layer needs as well."""

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width, dtype=torch.float32) + 0.5)
        self.eps = eps

    def forward(self, x, residual):
        total = x + residual
        scale = torch.rsqrt(total.pow(2).mean(-1, keepdim=True) + self.eps)
        return total * scale * self.weight, total


def get_inputs():
    return [torch.randn(tokens, width), torch.randn(tokens, width)]


def get_init_inputs():
    return [width]
