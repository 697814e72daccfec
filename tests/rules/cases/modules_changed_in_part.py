"""Sizes that are set on layers: near misses of TL612."""

import torch
from torch import nn


class Pruned(nn.Module):
    def __init__(self, flag: bool):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 5)
        self.head.classes = 5
        if flag:
            self.head.out_features = 10

    def shrink(self, keep):
        self.conv.weight = nn.Parameter(self.conv.weight[keep])
        self.conv.bias = nn.Parameter(self.conv.bias[keep])
        self.conv.out_channels = len(keep)

    def forward(self, x):
        return self.head(self.norm(self.conv(x)).mean((2, 3)))


def same_number(x):
    layer = nn.Linear(4, 3)
    layer.out_features = 3
    return layer(x)


def without_bias(x):
    layer = nn.Linear(4, 3, bias=False)
    layer.weight = nn.Parameter(torch.zeros(5, 4))
    layer.out_features = 5
    return layer(x)


def tied(tokens):
    embed, head = nn.Embedding(9, 4), nn.Linear(4, 9)
    head.weight = embed.weight
    return head(embed(tokens))


def own_class(x):
    class Widened(nn.Linear):
        def forward(self, y):
            return super().forward(y)[:, : self.out_features]

    layer = Widened(4, 3)
    layer.out_features = 2
    return layer(x)


def normalised(x):
    norm = nn.BatchNorm1d(4)
    norm.num_features = 8
    return norm(x)  # expect: TL612


def half(x):
    layer = nn.Linear(4, 3)
    layer.weight = nn.Parameter(torch.zeros(5, 4))
    return layer(x)  # expect: TL612
