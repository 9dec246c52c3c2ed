import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 20)

    def forward(self, a, b):
        return torch.cat([self.linear(a), self.linear(b)], dim=0)


first = 10
second = 14
width = 16


def get_inputs():
    return [torch.randn(first, width), torch.randn(second, width)]


def get_init_inputs():
    return [width]
