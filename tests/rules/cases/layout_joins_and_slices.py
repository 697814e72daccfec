"""Tensors that are joined, split, expanded, masked and reversed: near misses of TL103, TL106, TL107, TL109, TL110, TL113."""

import numpy as np
import pytest
import torch
from torch import nn


class Sequence:
    """Not a tensor: it may be reversed."""

    def __init__(self, items):
        self.items = items

    def __getitem__(self, index):
        return self.items[index]


def reversed_things(tokens, text: str, x: torch.Tensor):
    text[::-1]
    tokens[::-1]  # whatever it is
    Sequence([1, 2])[::-1]
    x.shape[::-1]
    x.numpy()[::-1]
    x.tolist()[::-1]
    step = -1 if x.is_cuda else 2
    x[::step]
    sorted(x)[::-1]
    list(x)[::-1]
    backwards = x.flip(0) if isinstance(x, torch.Tensor) else x[::-1]
    x[:, ::-1]  # expect: TL103
    return backwards


def either(x):
    if isinstance(x, np.ndarray):
        return x[::-1]
    try:
        return torch.arange(3)[::-1]
    except ValueError:
        return torch.arange(3).flip(0)


def swapped(x: torch.Tensor):
    x[::-1] = 0  # expect: TL103
    x[..., ::-1] += 1  # expect: TL103
    x[::-2]  # expect: TL103


def is_refused():
    with pytest.raises(ValueError):
        torch.arange(3)[::-1]


class Wrapper(torch.Tensor):
    """A tensor of its own, with its own idea of products."""

    def bmm(self, other):
        return torch.matmul(self, other)


def products(a, b, batched: bool):
    m, v = torch.ones(3, 3), torch.ones(3)
    (torch.bmm if batched else torch.mm)(m, m)
    function = torch.bmm if a.dim() == 3 else torch.mm
    function(m, m)
    if m.ndim == 3:
        torch.bmm(m, m)
    a.bmm(b)
    m.unsqueeze(0).bmm(m[None])
    torch.mv(m, v)
    torch.addmm(v, m, m)  # the added tensor broadcasts
    torch.inner(m, m)
    torch.dot(v, m[0])
    torch.dot(m, v)  # expect: TL106
    m.mv(m)  # expect: TL106
    torch.addmm(v, m, v)  # expect: TL106
    torch.outer(m, v)  # expect: TL106


def bmm(a, b):
    return a @ b


def own_function():
    return bmm(torch.ones(2, 3), torch.ones(3, 2))


def expanded(x: torch.Tensor, n: int):
    b, t = x.shape
    x.expand(n, t)  # n may be b
    x.expand(b, -1)
    x.expand(3, -1, -1)
    x[:, None].expand(b, n, t)
    x.expand(b, 2 * t)  # t may be 1
    x.expand(b, t + 1)  # t may be 1
    torch.ones(2, 3).expand(b, 4)  # expect: TL107
    mask = torch.ones(1, t)
    mask.expand(b, t)
    mask.expand_as(x)
    mask.expand(t)  # expect: TL107
    for size in (1, 4):
        torch.ones(size).expand(4)
    torch.ones(2, 3).expand(*x.shape)
    torch.zeros(()).expand(3, 2)


def joined(parts, flag):
    a, b = torch.ones(2, 3), torch.ones(4, 3)
    torch.cat([a, b])
    torch.cat((a, *parts), dim=1)
    torch.cat([a] + parts, dim=1)
    torch.cat(parts, 1)
    torch.cat(*[[a, b]])
    torch.cat([a, b] if flag else [a, a], dim=0)
    torch.cat([a, b if flag else a], dim=1)
    torch.cat([a, torch.tensor([])], dim=1)
    torch.cat([torch.tensor([]), a, b])
    both = [a, b]
    torch.cat(both)
    both.append(torch.ones(1, 3))
    torch.vstack(both)
    torch.stack(list(a))
    torch.stack(a.unbind())
    torch.hstack([torch.ones(2), torch.ones(3)])
    torch.column_stack([torch.ones(2), torch.ones(2, 3)])
    torch.stack(both)  # expect: TL109
    torch.hstack((a, b))  # expect: TL109
    torch.cat([a, b], -1)  # expect: TL109
    torch.stack(a, b)  # expect: TL109
    torch.stack(a)  # expect: TL109
    torch.cat([a, torch.ones(3)])  # expect: TL109


def annotated_as_one(xs: torch.Tensor):
    return torch.cat(xs, dim=1)


def cat(*tensors):
    return torch.cat(tensors)


def own_cat():
    return cat(torch.ones(2), torch.ones(3))


def split(x: torch.Tensor, sizes, n: int):
    ten = torch.arange(10)
    ten.split(sizes)
    ten.split([n, 10 - n])
    ten.split([3, 3, 3, 1])
    ten.split(4)
    ten.split([4] * 2 + [2])
    "a b".split("a")
    b, c = x.shape
    x.split([c // 2, c - c // 2], dim=1)
    x.split([1, c - 1], dim=1)
    torch.split(ten, split_size_or_sections=[5, 5])
    torch.split(ten, split_size_or_sections=[5, 6])  # expect: TL110
    x.split([c, c], dim=-1)  # both may be 0
    x.split([c, 1], dim=-1)  # expect: TL110
    ten.split([-1, 11])  # expect: TL110
    torch.ones(10, 4).hsplit(3)  # expect: TL110
    np.split(np.arange(10), [2, 4])


def masked(x: torch.Tensor, rows, flag: bool):
    b, t = x.shape
    a = torch.ones(2, 3)
    mask = torch.zeros(3, dtype=torch.bool)
    a[:, mask]
    a[..., mask]
    a[0, mask]
    a[mask.nonzero().squeeze(1).clamp(max=1)]
    a.T[mask]
    a[rows > 0]
    a[mask[:2]]
    x[x[:, 0] > 0]
    x[torch.zeros(b, t).bool()]
    a[torch.zeros(2 if flag else 3).bool()]
    x[torch.zeros(b, t, t).bool()[0]]  # a mask of t and t: b may be t
    a[mask]  # expect: TL113
    a[mask] = 0  # expect: TL113
    a[mask] += 1  # expect: TL113
    a[[True, False, True]]  # expect: TL113


def gaps(series):
    b, c, s = series.shape
    if isinstance(series, torch.Tensor):
        found = torch.arange(1, s + 1) - torch.cummax(series, -1).indices
    elif isinstance(series, np.ndarray):
        found = np.arange(1, s + 1) - np.maximum.accumulate(series, -1)
    return found


def gaps_behind(series):
    found = gaps(series)
    if isinstance(series, np.ndarray):
        return found[..., ::-1]
    return found.flip(-1)


def turned_round(series: torch.Tensor):
    b, c, s = series.shape
    if isinstance(series, torch.Tensor):
        return series[..., ::-1]  # expect: TL103
    return series
