from __future__ import annotations

import torch
from torch import nn


def undone(module: nn.Module, x, p):
    return module.inverse(x, params=p)


def wrong():
    return torch.ones(2, 2).inverse(params=3)  # expect: TL903


def never_evaluated(model: nn.module, scale: torch.tensr = 1):
    return model


def evaluated(model: nn.Module):
    return torch.tensr(3)  # expect: TL902
