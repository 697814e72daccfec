"""A text that a class compares with one to which it never sets it is set by code out of sight."""

import torch
from torch import nn


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.mode = "basic"

    def forward(self, inputs):
        if self.mode == "basic":
            return self.basic(inputs)
        elif self.mode == "search":
            return self.search(inputs)
        else:
            raise ValueError(self.mode)

    def search(self, inputs):
        x, scale = inputs  # ok: who calls `search` has set the mode of the parts, too
        return self.conv(x) * scale, scale

    def basic(self, inputs):
        return self.conv(inputs)


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Part() for _ in range(3)])
        self.mode = "basic"

    def forward(self, x):
        if self.mode == "basic":
            for part in self.parts:
                x = part(x)
            return x
        elif self.mode == "search":
            return self.search(x)

    def search(self, x):
        scale = torch.ones(1)
        for part in self.parts:
            x, scale = part((x, scale))
        return x



class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.mode = "basic"

    def forward(self, inputs):
        if self.mode == "basic":
            return self.conv(inputs)  # expect: TL930
        return inputs


class User(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Fixed()

    def forward(self, x):
        return self.part((x, 1))
