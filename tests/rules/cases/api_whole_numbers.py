"""Divisions that become sizes: near misses of TL921."""

import math

import torch
from torch import nn


class Grid:
    def view(self, *sizes):
        return sizes


def sizes(x, n: int, width: float = 4, *rest):
    torch.zeros(n, 3)
    torch.zeros(width)
    torch.full((2,), n / 2)
    torch.zeros(math.ceil(n / 2), round(n / 2))
    torch.zeros(2, dtype=torch.float32)
    torch.ones(*rest, 2.0)
    torch.rand(x / 2)
    Grid().view(4 / 2)
    torch.linspace(0.5, 1.5, 3)
    torch.ones(4).view(x.shape[0] // 2)
    torch.ones(4, 4).topk(2.5 if n else 2)
    try:
        torch.zeros(4 / 2)
    except TypeError:
        print("whole numbers only")
    return torch.ones(4).new_zeros(3, 4 / 2)  # expect: TL921


class Layers(nn.Module):
    def __init__(self, width, scale: float = 2.0):
        super().__init__()
        self.a = nn.Linear(width, int(width * scale))
        self.b = nn.Dropout(1 / 4)
        self.c = nn.Conv2d(3, 8, 3, padding=1)
        self.d = nn.BatchNorm2d(8, 1e-5, 0.1)
        self.e = nn.Linear(width, 64 / 2)  # expect: TL921
        self.f = nn.Conv2d(3, out_channels=0.5 * 8, kernel_size=3)  # expect: TL921

    def forward(self, x: torch.Tensor):
        half = x.shape[-1] / 2
        first, second = x.split(x.shape[-1] / 2, dim=-1)  # expect: TL921
        return first * half + second


def square(x, n):
    side = math.sqrt(x.numel())
    torch.zeros(math.isqrt(n), math.ceil(n / 2), math.prod((n, 2)))
    torch.zeros(math.sqrt(n), 3)  # expect: TL921
    x.view(int(side), -1)
    return torch.ones(16).view(math.sqrt(16), 4)  # expect: TL921
