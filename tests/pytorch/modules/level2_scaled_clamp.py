import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, low):
        return torch.clamp(x * self.scale, min=low)


batch_size = 16
dim = 50


def get_inputs():
    return [torch.randn(batch_size, dim), -0.5]


def get_init_inputs():
    return [1.5]
