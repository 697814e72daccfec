"""Members of enums, which are not their values."""

from enum import Enum, IntEnum

import torch


class Kind(Enum):
    SUM = "sum"
    MEAN = "mean"


class Order(IntEnum):
    FIRST = 0
    LAST = 1


class Name(str, Enum):
    A = "a"


def reduced(x, kind=Kind.SUM):
    if kind == "sum":
        return x.sum().unsqueeze(0)
    return x.mean(0)


kind = Kind.SUM
out = reduced(torch.ones(2, 3))
last = torch.ones(2, 5).sum(Order.LAST)  # fact: last = f32[2]
same = Name.A == "a"  # fact: same = True
