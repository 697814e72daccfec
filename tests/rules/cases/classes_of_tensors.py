"""A tensor may be of a class of the program that derives from torch's."""

import torch
from torch import nn


class Fitted(nn.Parameter):
    pass


class Tracked(torch.Tensor):
    pass


class Settings:
    pass


def fitted(model: nn.Module):
    found = []
    for _, parameter in model.named_parameters():
        if isinstance(parameter, Fitted):
            found.append(parameter.flatten())
    return torch.cat(found)  # ok: a parameter may be Fitted


def tracked(x: torch.Tensor):
    found = []
    if isinstance(x, Tracked):
        found.append(x)
    return torch.cat(found)  # ok: x may be Tracked


def settings(x: torch.Tensor):
    found = []
    if isinstance(torch.relu(x), Settings):
        found.append(x)
    return torch.cat(found)  # expect: TL128
