import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
                                    nn.Linear(hidden, 5))

    def forward(self, x):
        return self.layers(x)


batch_size = 12
width = 30
hidden = 44


def get_inputs():
    return [torch.randn(batch_size, width)]


def get_init_inputs():
    return [width, hidden]
