# calls: not all followed
import functools

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, flag=False):
        super().__init__()
        self.lin = nn.Linear(2, 3)
        if flag:
            self.forward = self.second

    def forward(self, x):
        return self.lin(x)

    def second(self, x):
        return self.lin(x).sum()


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.forward = self.first

    def first(self, x):
        return x.double()


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.forward = None

    def __call__(self, x):
        return x.sum()


def without_grad(forward):
    @functools.wraps(forward)
    def call(*args):
        with torch.no_grad():
            return forward(*args)

    return call


def test(x):
    a = Net()(x)  # fact: a = f32[4, 3] grad
    b = Net(True)(x)
    c = Chosen()(x)  # fact: c = f64[4, 2]
    d = Calls()(x)  # fact: d = f32[]
    net = Net()
    net.forward = without_grad(net.forward)
    e = net(x)
    layer = nn.Linear(2, 3)
    layer.forward = without_grad(layer.forward)
    f = layer(x)
    layer.forward = lambda given: given.half()
    g = layer(x)  # fact: g = f16[4, 2]
    layer.forward = functools.partial(torch.mul, x)
    h = layer(torch.ones(5, 4, 2))
    return a, b, c, d, e, f, g, h


test(torch.ones(4, 2))
