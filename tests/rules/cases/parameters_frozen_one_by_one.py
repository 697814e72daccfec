"""A parameter of a layer is frozen by the method or the attribute: writing to it in place is allowed then."""

import torch
from torch import nn


def running_mean(signal, width):
    mean = nn.Conv1d(1, 1, kernel_size=2 * width + 1, bias=False)
    mean.weight.requires_grad_(False)
    mean.weight *= 0
    mean.weight += 1 / (2 * width + 1)
    return mean(torch.ones(1, 1, 9)).numpy()


def by_attribute():
    mean = nn.Conv1d(1, 1, 3, bias=False)
    mean.weight.requires_grad = False
    mean.weight *= 0
    return mean(torch.ones(1, 1, 9)).numpy()


def not_frozen():
    mean = nn.Conv1d(1, 1, 3, bias=False)
    mean.weight.requires_grad_()
    mean.weight *= 0  # expect: TL401
    return mean(torch.ones(1, 1, 9)).numpy()  # expect: TL302
