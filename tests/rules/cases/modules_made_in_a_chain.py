"""Calls in a chain begin at the same place; what each of them makes is an object of its own."""

import torch
from torch import nn


class Block(nn.Sequential):
    def __init__(self, channels, out_channels):
        super().__init__()
        self.add_module("conv", nn.Conv1d(channels, out_channels, 1))


class Chain(nn.Sequential):
    def __init__(self, channels):
        super().__init__()
        self.count = 0
        self.channels = channels

    def conv(self, out_channels):
        self.add_module(str(self.count), Block(self.channels, out_channels))
        self.count += 1
        self.channels = out_channels
        return self


net = Chain(128).conv(64).conv(2)
net(torch.relu(torch.load("features.pt")))  # ok: 128 to 64 to 2
net(torch.ones(2, 128, 5)).view(3)  # expect: TL102
wrong = Chain(128).conv(64).conv(2)
wrong(torch.ones(2, 64, 5))  # expect: TL120
