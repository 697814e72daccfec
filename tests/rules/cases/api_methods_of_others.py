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


def norm_over_all_ranks(parameters):
    total = torch.stack([torch.zeros(3).norm(), torch.ones(3).norm()]).norm()
    mixed = torch.zeros(3) + parameters[0]
    return total.full_tensor(), mixed.wrapped_method(), (torch.zeros(3) * mixed).wrapped_method()


def norm_of_plain_tensors():
    return torch.stack([torch.zeros(3), torch.ones(3)]).wrapped_method()  # expect: TL902
