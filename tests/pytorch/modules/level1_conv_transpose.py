import torch
import torch.nn as nn

batch = 4
channels_in = 12
channels_out = 6
height = 10
width = 14


class Model(nn.Module):
    """A transposed convolution, whose channels no other size can have."""

    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.conv = nn.ConvTranspose2d(channels_in, channels_out, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(batch, channels_in, height, width)]


def get_init_inputs():
    return [channels_in, channels_out]
