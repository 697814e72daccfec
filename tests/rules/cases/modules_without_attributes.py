"""Modules whose constructor keeps its layers in local names, given to optimizers: TL513, and near misses."""

import torch
from torch import nn


class Locals(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        encoder = nn.Linear(inputs, outputs)
        decoder = nn.Linear(outputs, inputs)

    def forward(self, x):
        return decoder(encoder(x))


class OldSuper(nn.Module):
    def __init__(self):
        super(OldSuper, self).__init__()
        layer = nn.Linear(2, 2)


def plain():
    net = Locals(4, 2)
    torch.optim.Adam(net.parameters())  # expect: TL513
    torch.optim.Adam(params=list(net.parameters()), lr=0.1)  # expect: TL513
    torch.optim.SGD(OldSuper().parameters(), lr=0.1)  # expect: TL513


def later():
    net = Locals(4, 2)
    net.head = nn.Linear(2, 2)
    torch.optim.Adam(net.parameters())  # ok: it has a layer by now


def filled(unknown):
    net = Locals(4, 2)
    unknown(net)
    torch.optim.Adam(net.parameters())  # ok: the function may add one


class Lazy(nn.Module):
    def __init__(self, build):
        super().__init__()
        build(self)  # ok: it may add layers


class Setting(nn.Module):
    def __init__(self):
        super().__init__()
        for name in "abc":
            setattr(self, name, nn.Linear(2, 2))


class Handing(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.build(depth)

    def build(self, depth):
        for i in range(depth):
            self.add_module(str(i), nn.Linear(2, 2))


class Inside(nn.Module):
    def __init__(self):
        super().__init__()

        def build():
            self.layer = nn.Linear(2, 2)

        build()


class Generated(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.Linear(2, 2)

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        yield "shared", nn.Parameter(torch.ones(2))


class Stacked(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(2, 2))


class Above(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)


class Below(Above):
    def __init__(self):
        super().__init__()
        other = nn.Linear(2, 2)


def silent(build):
    torch.optim.SGD(Lazy(build).parameters(), lr=0.1)
    torch.optim.SGD(Setting().parameters(), lr=0.1)
    torch.optim.SGD(Handing(2).parameters(), lr=0.1)
    torch.optim.SGD(Inside().parameters(), lr=0.1)
    torch.optim.SGD(Generated().parameters(), lr=0.1)
    torch.optim.SGD(Stacked().parameters(), lr=0.1)
    torch.optim.SGD(Below().parameters(), lr=0.1)
    torch.optim.SGD(list(Below().parameters()), lr=0.1)


def grown():
    params = list(Locals(4, 2).parameters())
    params += list(nn.Linear(2, 2).parameters())
    torch.optim.SGD(params, lr=0.1)  # ok: filled after it was made
