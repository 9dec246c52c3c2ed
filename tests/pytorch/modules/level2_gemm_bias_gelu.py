import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.linear = nn.Linear(width, out)

    def forward(self, x):
        return F.gelu(self.linear(x))


batch_size = 32
width = 48
out = 40


def get_inputs():
    return [torch.randn(batch_size, width)]


def get_init_inputs():
    return [width, out]
