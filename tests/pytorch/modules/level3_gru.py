import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gru = nn.GRU(width, hidden, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


batch_size = 3
seq_len = 7
width = 10
hidden = 12


def get_inputs():
    return [torch.randn(batch_size, seq_len, width)]


def get_init_inputs():
    return [width, hidden]
