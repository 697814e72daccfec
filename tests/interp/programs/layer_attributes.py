"""Attributes of layers that hold what the constructor made of its arguments."""

import torch
from torch import nn

conv = nn.Conv2d(3, 8, 3, padding=1, dilation=2)
back = nn.ConvTranspose1d(4, 2, 5, stride=2)
pool = nn.MaxPool2d(2)
kernel = conv.kernel_size
height, width = conv.dilation
both = conv.stride + back.stride
window = pool.kernel_size
channels = conv.in_channels
same = nn.Conv2d(3, 8, (3, 5), padding="same").padding
out = torch.zeros(conv.kernel_size)  # fact: out = f32[3, 3]
