import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.pool = nn.MaxPool2d(size, stride=2, padding=1)

    def forward(self, x):
        return self.pool(x)


batch_size = 4
channels = 6
height = 20
width = 26


def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]


def get_init_inputs():
    return [3]
