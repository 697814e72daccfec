"""A switch between one shared layer and several: sharing is meant."""

from torch import nn


def build(shared, n):
    if shared:
        return nn.ModuleList([nn.Linear(3, 3)] * n)  # ok: the other side creates each separately
    else:
        return nn.ModuleList([nn.Linear(3, 3) for _ in range(n)])


def build_wrong(first, n):
    if first:
        return nn.ModuleList([nn.Linear(3, 3)] * n)  # expect: TL312
    else:
        return nn.ModuleList([nn.Conv2d(3, 3, 1) for _ in range(n)])


def build_or_leave_out(flag: bool, n, deep=False):
    given = nn.Sequential(*([nn.Linear(3, 3)] * flag))  # ok: the layer or nothing
    default = nn.Sequential(*([nn.Linear(3, 3)] * deep))  # ok
    compared = nn.Sequential(*([nn.Linear(3, 3)] * (n > 2)))  # ok
    return given, default, compared, nn.Sequential(*([nn.Linear(3, 3)] * n))  # expect: TL312
