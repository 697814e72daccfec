"""Parameters that are taken out of the dict of a module: a plain tensor can then have their name, as in hand-written weight norms."""

import torch
from torch import nn


def normalised(layer, name):
    weight = getattr(layer, name)
    del layer._parameters[name]
    setattr(layer, name, weight / weight.norm())
    layer.register_parameter(name + "_orig", nn.Parameter(weight.data))


class Normalised(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        normalised(self.conv, "weight")

    def forward(self, x):
        self.conv.weight = self.conv.weight_orig * 0.5
        return self.conv(x)


conv = nn.Conv2d(3, 8, 4)
w = conv.weight
del conv._parameters["weight"]
conv.weight = w / 2
conv(torch.randn(1, 3, 8, 8))

popped = nn.Linear(3, 4)
popped.__dict__["_parameters"].pop("bias")
popped.bias = torch.zeros(4)

kept = nn.Linear(3, 4)
kept.bias = torch.zeros(4)  # expect: TL606
