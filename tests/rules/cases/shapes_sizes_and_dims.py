import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Pair:
    """A class of the user's whose operators are its own."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Pair(self.value)

    def sum(self, dim):
        return self.value.sum()

    def __getitem__(self, index):
        return self.value


def own():
    p = Pair(torch.ones(2, 3))
    return p + Pair(torch.ones(4)), p.sum(dim=5), p[7, 8, 9]


def unknown(x, y: Tensor, n, *more, dim=-1):
    a = x + y
    b = y.sum(dim=dim)
    c = y[n]
    d = y[:, 3]
    e = torch.zeros(n) + torch.ones(5)
    f = torch.zeros(*more) + torch.ones(2, 3)
    return a, b, c, d, e, f


def guarded(x):
    a, b = torch.ones(3), torch.ones(4)
    if a.shape == b.shape:
        a = a + b
    if a.size(0) > 5:
        a[5]
    if a.dim() > 1:
        a = a.sum(dim=1)
    try:
        return a + b
    except RuntimeError:
        pass
    try:
        return a[9]
    except IndexError:
        return a[:9]


def branches(flag, widths=(3, 4)):
    a = torch.ones(3) if flag else torch.ones(4)
    b = a + torch.ones(4)
    total = torch.zeros(())
    for width in widths:
        total = total + torch.ones(width).sum()
    for i in range(5):
        if i < 3:
            torch.ones(3)[i]
    return b, total


def rebound():
    x = torch.ones(2, 3)
    x = x.sum()
    x = x.reshape(1, 1, 1)
    y = x.mean(dim=2)
    del x
    x = np.ones((2, 3))
    return y, x[..., None] + 1


def grown(items):
    out = torch.zeros(0, 3)
    for item in items:
        out = torch.cat([out, torch.ones(1, 3)])
    return out + torch.ones(1, 3), out[4]


def lists():
    values = [1, 2, 3]
    pairs = [torch.ones(2), torch.ones(3)]
    return values[0] + values[1], pairs[0].sum(0), [a + 1 for a in pairs], sum(pairs[0])


def wrong():
    x = torch.randn(8, 5)
    y = F.softmax(x.mean(dim=1), dim=1)  # expect: TL122
    z = x[:, 5]  # expect: TL122
    w = x[0, 0, 0]  # expect: TL122
    x.squeeze(2)  # expect: TL122
    x.topk(6)  # expect: TL122
    torch.cat([x, x], dim=2)  # expect: TL122
    x.select(1, -6)  # expect: TL122
    v = x - x.mean(1)  # expect: TL127
    u = torch.where(x > 0, x, torch.zeros(8))  # expect: TL127
    r = torch.zeros(8, 5)
    r *= torch.ones(3, 8, 5)  # expect: TL127
    x[:, 0] = torch.ones(5)  # expect: TL127
    x.copy_(torch.ones(8, 4))  # expect: TL127
    t = x.clamp(min=torch.zeros(4))  # expect: TL127
    torch.ones(2, 3).repeat(4)  # expect: TL117
    nn.Softmax(dim=2)(x)  # expect: TL122
    s = x[torch.arange(8), torch.arange(5)]  # expect: TL127
    return y, z, w, v, u, t, s
