import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.table = nn.Embedding(rows, dim)

    def forward(self, at):
        return self.table(at)


tokens = 40


def get_inputs():
    return [torch.randint(0, 100, (tokens,))]


def get_init_inputs():
    return [100, 24]
