import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3)
        self.norm = nn.BatchNorm2d(filters)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


batch_size = 4
channels = 3
height = 12
width = 12


def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels, 8]
