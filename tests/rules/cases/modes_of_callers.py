"""A method says nothing of the mode of its module: who calls it may have called `eval` before."""

import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())

    def sample(self):
        return self.decoder(torch.randn(1, 4))


def trained():
    decoder = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
    return decoder(torch.randn(1, 4))  # expect: TL509


class Slice(nn.Module):
    """Modules that hold numbers alone may be the same."""

    def __init__(self, start):
        super().__init__()
        self.start = start

    def forward(self, x):
        return x[:, self.start :]


class Scale(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.start = start
        self.weight = nn.Parameter(torch.ones(start))

    def forward(self, x):
        return x * self.weight


slices = [Slice(1)] * 4
scales = [Scale(2)] * 4  # expect: TL312
