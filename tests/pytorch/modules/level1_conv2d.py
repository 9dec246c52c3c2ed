import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, filters, size):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, size, stride=2, padding=1)

    def forward(self, x):
        return self.conv(x)


batch_size = 4
channels = 3
height = 24
width = 30


def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels, 8, 3]
