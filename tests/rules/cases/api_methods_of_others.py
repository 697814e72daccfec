import torch
from torch import nn


def undone(module: nn.Module, x, p):
    return module.inverse(x, params=p)


def wrong():
    return torch.ones(2, 2).inverse(params=3)  # expect: TL903
