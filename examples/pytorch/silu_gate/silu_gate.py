import torch
import torch.nn as nn
import torch.nn.functional as F

tokens = 2048
hidden = 4096


class Model(nn.Module):
    """The gate of a SwiGLU layer."""

    def forward(self, x, gate):
        return F.silu(x) * gate


def get_inputs():
    return [torch.randn(tokens, hidden, dtype=torch.bfloat16), torch.randn(tokens, hidden, dtype=torch.bfloat16)]
