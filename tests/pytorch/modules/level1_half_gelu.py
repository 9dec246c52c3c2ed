import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.gelu(x.float()).half()


batch_size = 16
dim = 128


def get_inputs():
    return [torch.randn(batch_size, dim).half()]


def get_init_inputs():
    return []
