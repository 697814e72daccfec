"""Memory that nothing has filled, and memory that something may have filled."""

import torch
import torch.nn.functional as F
from torch import nn


class Plain(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.gate = nn.Parameter(torch.Tensor(size, 1))  # expect: TL318
        self.table = nn.Parameter(torch.empty(size, 3).float())  # expect: TL318
        self.offset = nn.Parameter(torch.empty(0, 3))
        self.start = nn.Parameter(torch.empty(size).normal_())
        self.filled = nn.Parameter(torch.empty(size))
        nn.init.ones_(self.filled)

    def forward(self, x):
        scaled = F.linear(x, self.table) * self.gate.squeeze(1) + self.start * self.filled
        return torch.cat([scaled, self.offset])


class NeverMade(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.other = nn.Parameter(torch.empty(size, 3))


class Given(nn.Module):
    def __init__(self, values):
        super().__init__()
        self.values = nn.Parameter(torch.Tensor(values))  # expect: TL911 (info)


def build(values):
    net = Plain(4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    return net, optimizer, Given(values)


def for_others(size):
    return nn.ParameterList([Unused(size).kernel])


class Unused(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.kernel = nn.Parameter(torch.empty(size, 3))


build([1.0])


def read_at_once(x):
    out = torch.empty(3)
    return out + x  # expect: TL318


def summed():
    out = torch.empty(3, 4)
    print("made")
    total = out.sum()  # expect: TL318
    return total


def like(x: torch.Tensor):
    out = torch.empty_like(x)
    out *= 2  # expect: TL318
    return out


def filled_by_a_kernel(kernel, x):
    out = torch.empty(3)
    kernel(x, out)
    return out + 1


def filled_by_out(x):
    out = torch.empty(3)
    torch.mul(x, 2, out=out)
    return out + 1


def only_shape(x):
    out = torch.empty(3)
    return x.view(out.shape) + out.numel()


def in_a_branch(x, flag):
    out = torch.empty(3)
    if flag:
        out.zero_()
    return out + x


def a_list():
    out = torch.Tensor([3, 4])  # expect: TL911 (info)
    return out + 1


def rebound(x):
    out = torch.empty(3)
    out = x * 2
    return out + 1


def half_filled(x):
    out = torch.empty(4)
    out[:2] = x
    return out.sum()


def summed_up(chunks):
    total = torch.empty(8)
    for chunk in chunks:
        if chunk is None:
            continue
        chunk = chunk * 2
        total += chunk.sum(0)  # expect: TL318
    return total


def filled_in_turn(chunks):
    total = torch.empty(8)
    for index, chunk in enumerate(chunks):
        total[index] = chunk.sum()  # ok: written
    first = torch.empty(8)
    for index, chunk in enumerate(chunks):
        if index == 0:
            first = torch.zeros(8)
        first += chunk  # ok: bound before
    return total, first
