import torch


def forward(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin


batch, length, dim = 2, 12, 16


def get_inputs():
    return [torch.randn(batch, length, dim), torch.rand(length, dim), torch.rand(length, dim)]
