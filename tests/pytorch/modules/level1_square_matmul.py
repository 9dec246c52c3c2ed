import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, A, B):
        return A @ B


N = 64


def get_inputs():
    return [torch.rand(N, N), torch.rand(N, N)]


def get_init_inputs():
    return []
